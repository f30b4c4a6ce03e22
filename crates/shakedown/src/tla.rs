//! The TLA+ engine, as far as [`conform`](crate::conform) needs it. The crate `shakedown-tla` has all of it.

pub use shakedown_tla::{Config, Error, Loader, Place, Sources, Spec, Symbol, Value};
