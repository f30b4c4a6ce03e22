//! Benches: where a worker of a fleet does pieces of work that are no executions of a campaign.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::shrink::{SHRINK_BENCH, ShrinkBench};
use crate::trial::{TRIAL_BENCH, TrialBench};
use crate::{AnyTarget, Progress};

/// How pieces are done.
pub struct Means<'a> {
    /// How many side by side.
    pub jobs: usize,
    /// Who hears of calls that do not come back.
    pub progress: &'a dyn Progress,
}

/// Does pieces of work that have something in common.
pub trait Bench {
    /// What comes of each piece, in their order. They come from another machine: the error says what is wrong
    /// with them.
    fn run(&self, pieces: &[Vec<u8>], means: &Means<'_>) -> Result<Vec<Vec<u8>>, String>;
}

/// The bench of this name for pieces that have this in common; nothing if campaigns have none of it.
pub fn bench_of<'a>(
    targets: &'a [Box<dyn AnyTarget>],
    name: &str,
    common: &[u8],
) -> Option<Result<Box<dyn Bench + 'a>, String>> {
    match name {
        SHRINK_BENCH => {
            let bench = ShrinkBench::new(targets, common);
            Some(bench.map(|bench| -> Box<dyn Bench> { Box::new(bench) }))
        }
        TRIAL_BENCH => Some(Ok(Box::new(TrialBench(targets)))),
        _ => None,
    }
}

/// What came of a piece.
type Done = Result<Vec<u8>, String>;

/// Does each piece by a call, so many side by side.
pub fn side_by_side(
    pieces: &[Vec<u8>],
    jobs: usize,
    work: impl Fn(&[u8]) -> Result<Vec<u8>, String> + Sync,
) -> Result<Vec<Vec<u8>>, String> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Done>>> = Mutex::new(pieces.iter().map(|_| None).collect());
    let labour = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(piece) = pieces.get(number)
        {
            let result = work(piece);
            done.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.min(pieces.len()) {
            // Where no other thread can be started, this one does the work.
            let _ = thread::Builder::new().spawn_scoped(scope, labour);
        }
        labour();
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().map(|one| one.expect("every piece was done")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_pieces_is_in_their_order() {
        let pieces: Vec<Vec<u8>> = (0..100).map(|number| vec![number]).collect();
        for jobs in [0, 1, 3, 1_000] {
            let twice = side_by_side(&pieces, jobs, |piece| Ok([piece, piece].concat()));
            assert!(twice.is_ok_and(|all| all.iter().zip(0..).all(|(one, number)| *one == [number, number])));
            let refused = side_by_side(&pieces, jobs, |piece| match piece {
                [7] => Err("seven".to_owned()),
                _ => Ok(Vec::new()),
            });
            assert_eq!(refused, Err("seven".to_owned()));
        }
    }
}
