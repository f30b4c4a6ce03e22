//! Crashes between two writes of a server: a schedule waits here until a file has changed, and its next step is the crash.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use shakedown_cluster::NodeId;
use shakedown_process::{Change, FileWatch};

use crate::LiveCluster;

impl LiveCluster {
    /// The folder of a server, with its `log` and its `data`. There is none once the cluster is closed.
    pub fn folder(&self, node: NodeId) -> Option<&Path> {
        Some(self.booted.as_ref()?.servers[node.index()].folder())
    }

    /// Lets servers work until one of them has changed a file in the way that is meant, but no longer than this. Whether it has.
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
            if !booted.network.pump() {
                booted.network.wait_also(left, Some(std::os::fd::AsFd::as_fd(watch)));
            }
        }
    }
}
