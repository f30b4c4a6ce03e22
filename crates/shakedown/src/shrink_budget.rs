//! `--shrink-budget` and `SHAKEDOWN_SHRINK_BUDGET`: how much work shrinking may be.

use std::str::FromStr;
use std::time::Duration;

use shakedown_campaign::ShrinkLimits;

/// A limit of shrinking: executions, or seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShrinkBudget {
    Executions(u64),
    Seconds(u64),
}

impl FromStr for ShrinkBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<ShrinkBudget, String> {
        let budget = match text.strip_suffix('s') {
            Some(seconds) => seconds.parse().map(ShrinkBudget::Seconds),
            None => text.parse().map(ShrinkBudget::Executions),
        };
        budget.map_err(|_| "it is a number of executions, as 20000, or of seconds, as 30s".to_owned())
    }
}

impl ShrinkBudget {
    /// These limits with the one that is given.
    pub fn of(self, limits: ShrinkLimits) -> ShrinkLimits {
        match self {
            // What ends after a number of executions does so on every machine.
            ShrinkBudget::Executions(executions) => ShrinkLimits { executions, time: None },
            ShrinkBudget::Seconds(seconds) => {
                ShrinkLimits { time: Some(Duration::from_secs(seconds)), ..limits }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_executions_or_seconds() {
        assert_eq!("20000".parse(), Ok(ShrinkBudget::Executions(20_000)));
        assert_eq!("30s".parse(), Ok(ShrinkBudget::Seconds(30)));
        for wrong in ["", "s", "-1", "1m", "1.5s"] {
            assert!(wrong.parse::<ShrinkBudget>().is_err(), "{wrong}");
        }
    }
}
