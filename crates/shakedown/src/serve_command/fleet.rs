//! Looking at a fleet: a thread of its own asks the server, which may be slow or away, now and then.

use std::sync::{Arc, Mutex, PoisonError};

use shakedown_report::html::live::LiveFleet;

use crate::command_error::CommandError;
use crate::fleet_options::FleetArgs;

/// What was seen of a fleet last.
#[derive(Clone, Default)]
pub(super) struct FleetWatch(Arc<Mutex<LiveFleet>>);

impl FleetWatch {
    /// What was seen last.
    pub fn now(&self) -> LiveFleet {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(not(feature = "fleet"))]
impl FleetWatch {
    /// There is none in this program.
    pub fn begin(_options: &FleetArgs) -> Result<FleetWatch, CommandError> {
        Err(CommandError(crate::features::FLEET.missing("--fleet")))
    }
}

#[cfg(feature = "fleet")]
mod observed {
    use std::thread;
    use std::time::Duration;

    use shakedown_fleet::{FleetOptions, FleetTrouble, Observer, Status};
    use shakedown_report::html::live::LiveWorker;

    use super::*;

    /// How often it is looked at.
    const LOOK_EVERY: Duration = Duration::from_secs(1);
    /// How long after an error.
    const PAUSE: Duration = Duration::from_secs(5);

    impl FleetWatch {
        /// Begins to look. What cannot be right is an error at once; a server that is away may come back.
        pub fn begin(options: &FleetArgs) -> Result<FleetWatch, CommandError> {
            let options = options.access.options(options.url.as_deref().unwrap_or_default());
            let first = Observer::new(&options)?;
            let watch = FleetWatch::default();
            let mine = watch.clone();
            let look = move || look_again(&mine, &options, first);
            let thread = thread::Builder::new().name("shakedown-serve-fleet".to_owned()).spawn(look);
            thread.map_err(|error| CommandError(format!("no thread can be started: {error}")))?;
            Ok(watch)
        }

        fn show(&self, fleet: LiveFleet) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fleet;
        }
    }

    fn look_again(watch: &FleetWatch, options: &FleetOptions, first: Observer) {
        let mut observer = Ok(first);
        loop {
            thread::sleep(LOOK_EVERY);
            let seen = observer.as_ref().map_err(ToString::to_string);
            match seen.and_then(|observer| observer.look().map_err(|error: FleetTrouble| error.to_string())) {
                Ok(status) => watch.show(shown(status)),
                Err(error) => {
                    watch.show(LiveFleet { error: Some(error), ..LiveFleet::default() });
                    thread::sleep(PAUSE);
                    observer = Observer::new(options);
                }
            }
        }
    }

    fn shown(status: Status) -> LiveFleet {
        let reports = status.streams.iter().find(|stream| stream.name == "SHAKEDOWN_REPORTS");
        let workers = status.workers.into_iter().map(|worker| LiveWorker {
            name: worker.name,
            executions: worker.executions,
            rate: worker.rate,
            busy: worker.busy,
            redelivered: worker.redelivered,
            campaign: worker.campaign.unwrap_or_default(),
        });
        LiveFleet {
            workers: workers.collect(),
            batches: [status.waiting, status.under_way, status.redelivered],
            reports: reports.map_or(0, |stream| stream.messages),
            error: None,
        }
    }
}
