//! The microbenchmark of "Model-guided Fuzzing of Distributed Systems" (Gulcan, Ozkan, Majumdar, Nagendra;
//! section 5.1): a race that random tests reach the less, the longer the work is.
//!
//! Workers and a terminator register with a master. A request of the client is served only if all of them
//! have: the master sends `Execute` to a worker and `Terminate` to the terminator, which sends `Flush` to
//! that worker. To serve the request takes a chain of `tasks` executions: each but the last makes the worker
//! send itself the next one. `Flush` takes the worker's buffer away. A careful worker then ignores what
//! comes; a careless one (`careless=true`) fails if the flush comes exactly before the last `Execute`.
//!
//! The nodes: n1 is the master, then come the workers, the terminator, and last the client. So `--nodes 9`
//! are six workers. Links are first in, first out, nothing is lost and nobody crashes, as in the actor
//! framework of the paper.

mod message;
mod model;
mod process;
mod target;

pub use message::Mail;
pub use model::{AppMasterEvent, AppMasterMapping, model};
pub use process::{NoRequest, Process, View};
pub use target::{FEWEST_NODES, any_target, target};
