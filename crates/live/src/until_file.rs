//! Crashes between two writes of a server: a schedule waits here until a file has changed, and its next step
//! is the crash.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use shakedown_cluster::NodeId;
use shakedown_process::{Change, FileWatch};

use crate::LiveCluster;

impl LiveCluster {
    /// The folder of a server, with its `log` and its `data`. There is none once the cluster is closed.
    pub fn folder(&self, node: NodeId) -> Option<&Path> {
        Some(self.booted.as_ref()?.servers.get(node.index())?.folder())
    }

    /// Lets servers work until one of them has changed a file in the way that is meant, but no longer than
    /// this. Whether it has.
    ///
    /// It returns at once, while the server goes on: what a crash finds then depends on who is faster.
    pub fn until_file(
        &mut self,
        watch: &FileWatch,
        is_meant: impl Fn(&str, Change) -> bool,
        longest: Duration,
    ) -> io::Result<bool> {
        let began = Instant::now();
        let Some(booted) = &mut self.booted else { return Ok(false) };
        loop {
            if watch.changes()?.iter().any(|(name, change)| is_meant(name, *change)) {
                return Ok(true);
            }
            let left = longest.saturating_sub(began.elapsed());
            if left.is_zero() {
                return Ok(false);
            }
            if !booted.transport.pump() {
                booted.transport.wait(left, Some(std::os::fd::AsFd::as_fd(watch)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shakedown_cluster::{Cluster, Contract, Crashes, Recording, Setup, Step};
    use shakedown_target::{AnyTarget, Target};

    use super::*;
    use crate::{Deployment, LiveSettings, Ready, live};

    /// In its second life a server writes a file, and would write another one much later.
    const SCRIPT: &str = "cd \"$0\"
if [ -e first ]; then echo 2 >first; sleep 1000; echo 2 >second; fi
echo 1 >first; echo ready; sleep 1000";

    fn settings() -> LiveSettings {
        let deployment = Deployment {
            ports: vec!["peer".to_owned()],
            ready: Ready { log: Some("ready".to_owned()), seconds: Some(20), ..Ready::default() },
            ..Deployment::new(["sh", "-c", SCRIPT, "{data}"])
        };
        LiveSettings { deployment, here: Path::new(".").to_owned(), clients: None }
    }

    fn cluster() -> LiveCluster {
        let target = live(Target::new("writers"), settings(), Contract::sessions());
        let setup = Setup {
            nodes: 1,
            contract: Contract { crashes: Crashes::All, ..Contract::sessions() },
            options: Arc::new(target.defaults().options.clone()),
            workload: Vec::new(),
            steps: 0,
            seed: 1,
            recording: Recording::Brief,
        };
        LiveCluster::boot(Arc::new(settings()), &setup).expect("the server becomes ready")
    }

    #[test]
    fn a_crash_comes_between_two_writes() {
        let (mut cluster, only, patience) = (cluster(), NodeId::from_index(0), Duration::from_secs(60));
        let data = cluster.folder(only).expect("it runs").join("data");
        let watch = FileWatch::new(&data).expect("the folder is there");
        let is_first = |name: &str, change| name == "first" && change == Change::Complete;
        cluster.perform(&Step::Crash { node: only, keep: 0 }).expect("it runs");
        cluster.perform(&Step::Restart(only)).expect("it is down");
        assert!(cluster.until_file(&watch, is_first, patience).expect("it can be watched"));
        cluster.perform(&Step::Crash { node: only, keep: 0 }).expect("it runs");
        assert_eq!(std::fs::read_to_string(data.join("first")).expect("it is there"), "2\n");
        assert!(!data.join("second").exists());
        assert!(!cluster.until_file(&watch, is_first, Duration::ZERO).expect("it can be watched"));
    }
}
