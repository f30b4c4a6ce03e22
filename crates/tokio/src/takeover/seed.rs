//! The seed of a tokio runtime.
//!
//! `select!` and others draw from a generator that each runtime seeds when it is built. `Builder::rng_seed`
//! sets that seed, but exists only where the whole program is compiled with `--cfg tokio_unstable`. Without
//! it, a builder draws its seed from hash keys and from a counter that the process shares, so no random
//! number that is taken over makes it repeat. What is left is to write it. A builder holds the state of a
//! generator, from which each build draws: these are the bytes of it that a build changes, and the only ones.
//! They are found once, by comparison, and checked by two builds that must agree.
#![expect(unsafe_code, reason = "the seed of a builder has no other way in")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

use super::TakeoverError;

/// How many bytes the state of a generator has: two numbers of 32 bits.
const STATE_BYTES: usize = 8;

/// Where in a builder the state of its generator lies.
static PLACE: OnceLock<Result<usize, TakeoverError>> = OnceLock::new();

/// Finds out where the seed lies, on a thread that runs no node: it draws hash keys.
pub fn prepare() -> Result<(), TakeoverError> {
    PLACE.get_or_init(find).clone().map(drop)
}

/// Seeds the runtimes that this builder makes.
pub fn seed(builder: &mut Builder, seed: u64) -> Result<(), TakeoverError> {
    let place = PLACE.get_or_init(find).clone()?;
    write(builder, place, seed);
    Ok(())
}

fn new_builder() -> Builder {
    Builder::new_current_thread()
}

/// Where the state lies. A build changes these bytes; they are the same ones twice, and what is written there
/// decides what is drawn.
fn find() -> Result<usize, TakeoverError> {
    let place = changed_by_build()?;
    let draws = |number: u64| -> Result<[u32; 8], TakeoverError> {
        let mut builder = new_builder();
        write(&mut builder, place, number);
        Ok(draw(&builder.build().map_err(|_| TakeoverError::Seed)?))
    };
    let is_seed = draws(1)? == draws(1)? && draws(2)? == draws(2)? && draws(1)? != draws(2)?;
    if is_seed { Ok(place) } else { Err(TakeoverError::Seed) }
}

/// What `select!` would draw.
fn draw(runtime: &Runtime) -> [u32; 8] {
    runtime.block_on(async { std::array::from_fn(|_| tokio::macros::support::thread_rng_n(u32::MAX)) })
}

/// The place of the eight bytes within which a build changes a builder.
fn changed_by_build() -> Result<usize, TakeoverError> {
    let mut builder = new_builder();
    let (mut first, mut last) = (usize::MAX, 0);
    // A byte may stay what it was by chance, in one build of 256.
    for _ in 0..8 {
        let before = bytes_of(&builder)?;
        builder.build().map_err(|_| TakeoverError::Seed)?;
        let after = bytes_of(&builder)?;
        for (place, _) in before.iter().zip(&after).enumerate().filter(|(_, (one, other))| one != other) {
            (first, last) = (first.min(place), last.max(place));
        }
    }
    let is_state =
        first.checked_add(STATE_BYTES - 1) == Some(last) && first.is_multiple_of(align_of::<u32>());
    if is_state { Ok(first) } else { Err(TakeoverError::Seed) }
}

/// The bytes of a builder, read by the kernel: some are padding, which no Rust code may look at.
fn bytes_of(builder: &Builder) -> Result<Vec<u8>, TakeoverError> {
    let mut bytes = vec![0; size_of::<Builder>()];
    let memory = File::open("/proc/self/mem").map_err(|_| TakeoverError::Seed)?;
    let place = std::ptr::from_ref(builder) as u64;
    memory.read_exact_at(&mut bytes, place).map_err(|_| TakeoverError::Seed)?;
    Ok(bytes)
}

fn write(builder: &mut Builder, place: usize, seed: u64) {
    // The state of such a generator must not be zero.
    let state = seed.max(1).to_ne_bytes();
    // SAFETY: a build changed these eight bytes, the first and the last of them too, so they all lie in a
    // builder. They are two integers, of which every value is valid. Nobody else holds the builder.
    unsafe {
        let start = std::ptr::from_mut(builder).cast::<u8>().add(place);
        std::ptr::copy_nonoverlapping(state.as_ptr(), start, STATE_BYTES);
    }
}
