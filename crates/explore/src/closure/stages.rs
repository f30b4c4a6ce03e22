//! Steps of two stages, for who sees no rounds (sections 7.2 and 7.3 of the paper). A stage is a number of
//! beats: every clock ticks once, and then whatever is under way is received, in any order, until nothing is.

use shakedown_cluster::{Board, Step};

use super::lock_step::Run;
use super::{Control, Faults};
use crate::Sight;

/// For how many beats a leader is waited for at most.
const WAIT_MAX: u32 = 40;
/// How many beats the second stage has.
const WORK: u32 = 8;

impl Run {
    /// Whether rounds are stages.
    pub(super) fn is_staged(&self) -> bool {
        matches!(self.faults, Faults::Isolations(Control::Steps(_)))
    }

    /// Plans one more beat of the stage, or what clients ask at the end of the first; whether there is
    /// anything to do.
    pub(super) fn beat(&mut self, sight: &Sight<'_>) -> bool {
        let board = sight.board();
        let is_start = self.rounds.begins_phase(self.at);
        let is_faulty = self.rounds.phase_number(self.at) > 0;
        let wanted = match (is_faulty, is_start) {
            (false, _) => 1,
            (true, true) if !self.has_majority(board) => 1,
            (true, true) if self.beats > 0 && board.up().any(|node| sight.serves(node)) => self.beats,
            (true, true) => WAIT_MAX,
            (true, false) => WORK,
        };
        if self.beats < wanted {
            self.beats += 1;
            self.settle(board);
            self.tick(board, 1);
            return true;
        }
        // Once, and in the recovery too: clients go on asking.
        if !is_start || self.asks_late || self.beats == u32::MAX {
            return false;
        }
        self.beats = u32::MAX;
        self.ask_all(board);
        true
    }

    fn ask_all(&mut self, board: &Board) {
        let up = self.will_be_up(board);
        self.clients.ask_again(board, up, &mut self.plan);
        self.ask(board);
    }

    /// What clients ask when the processes of the second stage are stopped. A request to a server that does
    /// not run is not sent at all: its step is its only occasion.
    pub(super) fn ask_late(&mut self, board: &Board) {
        self.ask_all(board);
        let phase = self.rounds.phase_number(self.at);
        self.forget_before(phase + 1);
    }

    /// Whether a majority of the nodes is in the kernel of the round, and runs.
    fn has_majority(&self, board: &Board) -> bool {
        let kernel = self.rounds.kernel(self.at);
        2 * board.up().filter(|node| kernel.contains(*node)).count() > self.nodes
    }

    /// Stops nodes, as many as the contract allows.
    pub(super) fn stop_all(&mut self, board: &Board) {
        let room = board.contract().down_max(self.nodes).saturating_sub(board.down_count());
        self.plan.extend(board.up().take(room).map(|node| Step::Crash { node, keep: 0 }));
    }
}
