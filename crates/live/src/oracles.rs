//! What must hold of any cluster of servers.

use shakedown_check::{Doubt, Oracle, Seen};
use shakedown_cluster::{Fact, Value};

use crate::settle::SETTLED;

/// The name of the property, unless what was not answered has a name of its own.
const AVAILABILITY: &str = "availability";

/// Once the network is healed and all servers run, everything that clients ask is answered in time.
pub struct Available {
    judged: u64,
    name: String,
}

impl Available {
    /// The oracle. It has nothing to judge where the target asks nothing in the end.
    pub fn new() -> Available {
        Available { judged: 0, name: AVAILABILITY.to_owned() }
    }
}

impl Default for Available {
    fn default() -> Available {
        Available::new()
    }
}

fn number(fact: &Fact, field: &str) -> i64 {
    match fact.get(field) {
        Some(Value::Number(number)) => *number,
        _ => 0,
    }
}

impl<S> Oracle<S> for Available {
    fn name(&self) -> &str {
        &self.name
    }

    fn subject(&self) -> &str {
        AVAILABILITY
    }

    fn about(&self) -> &str {
        "after the network is healed, every request is answered in time"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.judged)
    }

    fn after_step(&mut self, _seen: &Seen<'_, S>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, seen: &Seen<'_, S>) -> Result<(), Doubt> {
        let Some(fact) = seen.board().facts().filter(|fact| fact.name.as_str() == SETTLED).last() else {
            return Ok(());
        };
        let (asked, open, time) = (number(fact, "asked"), number(fact, "open"), number(fact, "ms"));
        self.judged += u64::from(asked > 0);
        if let Some(Value::Text(names)) = fact.get("names")
            && !names.is_empty()
        {
            self.name = format!("{AVAILABILITY}:{names}");
        }
        match open {
            0 => Ok(()),
            _ => Err(Doubt::Violated(format!(
                "{open} of {asked} requests were not answered within {time} ms after the network was healed"
            ))),
        }
    }
}
