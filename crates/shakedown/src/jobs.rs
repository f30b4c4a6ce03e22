//! `--jobs`: how much runs in parallel. It never changes a result.

use clap::Args;
use shakedown_campaign::AnyTarget;

/// More threads than any machine of today has cores.
const JOBS_MAX: u64 = 4_096;

/// How many executions run in parallel.
#[derive(Args, Clone, Copy)]
pub(crate) struct Jobs {
    /// How many executions run in parallel; never changes the result [default: the number of cores; 1 where
    /// nodes are real servers]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u64).range(1..=JOBS_MAX))]
    jobs: Option<u64>,
}

impl Jobs {
    /// As many as are asked for, or as there are cores. Real servers share the machine, and load changes what
    /// they do.
    pub fn of(self, target: &dyn AnyTarget) -> usize {
        match target.info().is_deterministic {
            true => self.or_cores(),
            false => self.given().unwrap_or(1),
        }
    }

    /// As many as are asked for, or as there are cores.
    pub fn or_cores(self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.given().unwrap_or_else(cores)
    }

    fn given(self) -> Option<usize> {
        self.jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX))
    }
}
