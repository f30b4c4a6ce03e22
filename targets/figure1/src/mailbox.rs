//! The messages that a process has received and not used yet.

use shakedown_cluster::NodeId;

use crate::Mail;

/// Messages of the present round and of rounds to come: at most one of each kind from each sender, the one of
/// the latest phase, so its size is limited. A message that another one pushes out is as good as lost, which
/// the network may do anyway.
#[derive(Clone, Debug)]
pub struct Mailbox(Vec<(NodeId, Mail)>);

impl Mailbox {
    /// An empty mailbox for a cluster of so many processes, with room for two rounds.
    pub(crate) fn new(processes: usize) -> Mailbox {
        Mailbox(Vec::with_capacity(2 * processes))
    }

    pub(crate) fn put(&mut self, from: NodeId, mail: Mail) {
        let same = |known: &&mut (NodeId, Mail)| known.0 == from && known.1.place() == mail.place();
        match self.0.iter_mut().find(same) {
            None => self.0.push((from, mail)),
            Some(known) if known.1.phase() < mail.phase() => known.1 = mail,
            Some(_) => {}
        }
    }

    /// The messages of this round and their senders.
    pub(crate) fn of(&self, round: u32) -> impl Iterator<Item = &(NodeId, Mail)> {
        self.0.iter().filter(move |(_, mail)| mail.round() == round)
    }

    /// Forgets what came for rounds before this one.
    pub(crate) fn forget_before(&mut self, round: u32) {
        self.0.retain(|(_, mail)| mail.round() >= round);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_holds_one_message_of_each_kind_from_each_sender() {
        let mut mailbox = Mailbox::new(2);
        let [n1, n2] = [1, 2].map(NodeId::new);
        for phase in [1, 3, 2] {
            mailbox.put(n1, Mail::Prepare { phase });
            mailbox.put(n2, Mail::Prepare { phase });
        }
        let prepare = Mail::Prepare { phase: 3 };
        assert_eq!(mailbox.0, [(n1, prepare), (n2, prepare)]);
        assert_eq!(mailbox.of(9).count(), 2);
        mailbox.forget_before(10);
        assert_eq!(mailbox.0, []);
    }
}
