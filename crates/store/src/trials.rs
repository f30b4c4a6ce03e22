//! Several campaigns of one store, side by side.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use shakedown_campaign::{
    Campaign, CampaignError, Fleet, LedgerError, Now, Pieces, Progress, Room, Stuck, TRIAL_BENCH, Trial,
};

use crate::{CampaignId, Store};

/// The most threads that run campaigns.
const THREADS_MAX: usize = 256;

/// Runs campaigns from where they stand to their ends, so many side by side, each by one worker. The first
/// error ends all. With a fleet, each trial of a comparison that has not begun is run by one of its workers,
/// and the executions of other campaigns are.
pub fn run_all(
    store: &Store,
    campaigns: &[(CampaignId, Campaign<'_>)],
    jobs: usize,
    fleet: Option<&Arc<dyn Fleet>>,
    progress: &dyn Progress,
) -> Result<(), CampaignError> {
    if let Some(fleet) = fleet {
        return by_fleet(store, campaigns, fleet, progress);
    }
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

/// Runs them by a fleet.
fn by_fleet(
    store: &Store,
    campaigns: &[(CampaignId, Campaign<'_>)],
    fleet: &Arc<dyn Fleet>,
    progress: &dyn Progress,
) -> Result<(), CampaignError> {
    let total = campaigns.iter().map(|(_, campaign)| campaign.plan.executions).sum();
    let done: Mutex<Vec<(u64, usize)>> = Mutex::new(vec![(0, 0); campaigns.len()]);
    let mut trials = Vec::new();
    for (number, (id, campaign)) in campaigns.iter().enumerate() {
        let kept = store.campaign(*id).map_err(LedgerError::from)?;
        if kept.standing.is_none() && campaign.plan.shrink.is_none() && campaign.plan.part_of.is_none() {
            trials.push((number, *id, campaign));
        } else if !kept.is_over {
            // It has begun here, or makes files of what it finds.
            let mut campaign = campaign.clone();
            campaign.fleet = Some(Arc::clone(fleet));
            store.go_on(*id, &campaign, &Share { number, total, done: &done, progress })?;
        }
    }
    let pieces = Pieces {
        bench: TRIAL_BENCH,
        common: Vec::new(),
        numbers: 0..trials.len() as u64,
        piece: &|number| Trial::piece(trials[number as usize].2),
        is_long: true,
        is_late: &|| trials.first().is_some_and(|(_, _, campaign)| campaign.is_stopped()),
    };
    let mut trouble = None;
    let spread = fleet.spread(&pieces, &mut |at, result| {
        let (number, id, campaign) = trials[at as usize];
        let took = Trial::read(campaign, &result).and_then(|trial| {
            let share = Share { number, total, done: &done, progress };
            share.stands(trial.standing().executions, trial.standing().findings.len());
            Ok(store.take_trial(id, &trial)?)
        });
        match took {
            Ok(Room::Enough) => ControlFlow::Continue(()),
            Ok(Room::Full) => ControlFlow::Break(()),
            Err(error) => {
                trouble = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    spread.map_err(CampaignError::Fleet)?;
    trouble.map_or(Ok(()), Err)
}

/// The progress of one campaign as a part of that of all.
struct Share<'a> {
    number: usize,
    total: u64,
    done: &'a Mutex<Vec<(u64, usize)>>,
    progress: &'a dyn Progress,
}

impl Share<'_> {
    /// It has come to so many executions and findings.
    fn stands(&self, executions: u64, findings: usize) {
        let (executions, findings) = {
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done[self.number] = (executions, findings);
            done.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        self.progress.executions(executions, self.total, findings);
    }
}

impl Progress for Share<'_> {
    fn standing(&self, now: &Now<'_>) {
        // Telling costs a lock that all share.
        if !now.standing.executions.is_multiple_of(64)
            && now.standing.executions != now.campaign.plan.executions
        {
            return;
        }
        self.stands(now.standing.executions, now.standing.findings.len());
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
