//! Several campaigns of one store, side by side.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use shakedown_campaign::{Campaign, CampaignError, Now, Progress, Stuck};

use crate::{CampaignId, Store};

/// The most threads that run campaigns.
const THREADS_MAX: usize = 256;

/// Runs campaigns from where they stand to their ends, so many side by side, each by one worker. The first error ends all.
pub fn run_all(
    store: &Store,
    campaigns: &[(CampaignId, Campaign<'_>)],
    jobs: usize,
    progress: &dyn Progress,
) -> Result<(), CampaignError> {
    let next = AtomicUsize::new(0);
    let total = campaigns.iter().map(|(_, campaign)| campaign.plan.executions).sum();
    let done: Mutex<Vec<(u64, usize)>> = Mutex::new(vec![(0, 0); campaigns.len()]);
    let trouble = Mutex::new(None);
    let work = || {
        while trouble.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((id, campaign)) = campaigns.get(number) else { break };
            let mut campaign = campaign.clone();
            campaign.jobs = 1;
            let share = Share { number, total, done: &done, progress };
            if let Err(error) = store.go_on(*id, &campaign, &share) {
                trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        let wanted = jobs.clamp(1, campaigns.len().clamp(1, THREADS_MAX));
        for started in 0..wanted {
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                progress.short_of_workers(started.max(1), wanted, &error);
                // The calling thread does the work where no other one can be started.
                if started == 0 {
                    work();
                }
                break;
            }
        }
    });
    trouble.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// The progress of one campaign as a part of that of all.
struct Share<'a> {
    number: usize,
    total: u64,
    done: &'a Mutex<Vec<(u64, usize)>>,
    progress: &'a dyn Progress,
}

impl Progress for Share<'_> {
    fn standing(&self, now: &Now<'_>) {
        // Telling costs a lock that all share.
        if !now.standing.executions.is_multiple_of(64)
            && now.standing.executions != now.campaign.plan.executions
        {
            return;
        }
        let (executions, findings) = {
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done[self.number] = (now.standing.executions, now.standing.findings.len());
            done.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        self.progress.executions(executions, self.total, findings);
    }

    fn short_of_workers(&self, started: usize, wanted: usize, error: &io::Error) {
        self.progress.short_of_workers(started, wanted, error);
    }

    fn unguarded(&self, error: &io::Error) {
        self.progress.unguarded(error);
    }

    fn stuck(&self, stuck: &Stuck) {
        self.progress.stuck(stuck);
    }
}
