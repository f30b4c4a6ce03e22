//! A register that is replicated from a primary to its backups, and an invariant of it.
//!
//! The network delivers messages in any order. A backup that takes every value it gets goes back to an older
//! one; a backup that looks at versions does not.

use shakedown::prelude::*;

/// A value and its version, on its way from the primary to a backup.
#[derive(Clone, Debug)]
pub struct Replicate {
    version: u64,
    value: u64,
}

impl Message for Replicate {
    fn kind(&self) -> &'static str {
        "Replicate"
    }
}

/// One node; n1 is the primary.
pub struct Register {
    version: u64,
    value: u64,
    looks_at_versions: bool,
}

impl Node for Register {
    type Message = Replicate;
    type Request = u64; // write this value
    type Answer = u64; // it has this version
    type State = (u64, u64); // version and value
    type Disk = (); // nothing survives a crash

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let looks_at_versions = ctx.options().get("versions").unwrap_or(true);
        Register { version: 0, value: 0, looks_at_versions }
    }

    fn request(&mut self, id: RequestId, value: u64, ctx: &mut Context<'_, Self>) {
        if ctx.id() == NodeId::new(1) {
            self.version += 1;
            self.value = value;
            ctx.broadcast(&Replicate { version: self.version, value });
            ctx.answer(id, &self.version);
        }
    }

    fn receive(&mut self, _from: NodeId, message: Replicate, _ctx: &mut Context<'_, Self>) {
        if !self.looks_at_versions || message.version > self.version {
            (self.version, self.value) = (message.version, message.value);
        }
    }

    fn observe(&self) -> (u64, u64) {
        (self.version, self.value)
    }
}

/// What is tested: three nodes, five writes, and what must hold. `versions=false` switches the bug on.
pub fn target() -> Target<Register> {
    Target::new("register")
        .about("a replicated register; versions=false lets it go back")
        .contract(Contract::reliable())
        .option("versions", true, "whether a backup looks at versions")
        .requests(5, |number, _random| 10 * (number as u64 + 1))
        .oracles(|_config| vec![never_goes_back()])
}

/// No node goes back to an older version.
fn never_goes_back() -> Box<dyn Oracle<(u64, u64)>> {
    let mut highest = Vec::new();
    invariant("never-goes-back", move |seen: &Seen<'_, (u64, u64)>| {
        highest.resize(seen.states().len(), 0);
        for (node, (version, _)) in seen.fresh() {
            let known = std::mem::replace(&mut highest[node.index()], *version);
            if *version < known {
                return Err(format!("{node} had version {known} and now has {version}"));
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_that_looks_at_versions_never_goes_back() {
        Test::new(target()).executions(500).strategy("pctcp").run();
    }

    #[test]
    fn a_backup_that_does_not_goes_back() {
        Test::new(target()).executions(500).set("versions", false).expect_violation("never-goes-back");
    }
}
