//! A replicated register, and a program with Shakedown's whole command line for it. Put your own protocol in
//! its place.

use std::process::ExitCode;

use shakedown::prelude::*;

/// A value and its version, on its way from the primary, n1, to a backup.
#[derive(Clone, Debug)]
struct Replicate {
    version: u64,
    value: u64,
}

impl Message for Replicate {
    fn kind(&self) -> &'static str {
        "Replicate"
    }
}

/// One node.
struct Register {
    version: u64,
    value: u64,
}

impl Node for Register {
    type Message = Replicate;
    type Request = u64; // write this value
    type Answer = u64; // it has this version
    type State = (u64, u64); // version and value
    type Disk = (); // nothing survives a crash

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Register { version: 0, value: 0 }
    }

    fn request(&mut self, id: RequestId, value: u64, ctx: &mut Context<'_, Self>) {
        if ctx.id() == NodeId::new(1) {
            (self.version, self.value) = (self.version + 1, value);
            ctx.broadcast(&Replicate { version: self.version, value });
            ctx.answer(id, &self.version);
        }
    }

    /// An old message must not overwrite a newer value: take the condition away, and Shakedown finds out.
    fn receive(&mut self, _from: NodeId, message: Replicate, _ctx: &mut Context<'_, Self>) {
        if message.version > self.version {
            (self.version, self.value) = (message.version, message.value);
        }
    }

    fn observe(&self) -> (u64, u64) {
        (self.version, self.value)
    }
}

/// What is tested: three nodes, five writes, and what must hold.
fn target() -> Target<Register> {
    Target::new("NAME")
        .about("a replicated register")
        .contract(Contract::reliable())
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

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(target())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_node_goes_back() {
        Test::new(target()).executions(500).strategy("pctcp").run();
    }
}
