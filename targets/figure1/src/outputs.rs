//! The specification: any two outputs are comparable in the prefix order.

use shakedown_check::{Oracle, Seen};
use shakedown_cluster::NodeId;

use crate::{Output, View};

/// Any two logs that were output, by any processes at any time, are comparable in the prefix order.
///
/// It is enough to know the longest: all outputs so far are prefixes of it, so what is comparable with it is
/// comparable with all of them.
#[derive(Clone, Debug, Default)]
pub struct OutputsComparable {
    longest: Option<(NodeId, Output)>,
    /// How often an output was compared with the longest before it.
    comparisons: u64,
}

impl Oracle<View> for OutputsComparable {
    fn name(&self) -> &str {
        "outputs-comparable"
    }

    fn about(&self) -> &str {
        "of the outputs of two nodes one begins with the other"
    }

    fn evaluations(&self) -> Option<u64> {
        Some(self.comparisons)
    }

    fn after_step(&mut self, seen: &Seen<'_, View>) -> Result<(), String> {
        for (node, view) in seen.fresh() {
            let Some(output) = &view.output else { continue };
            self.comparisons += u64::from(self.longest.is_some());
            match &self.longest {
                Some((_, longest)) if output.log.is_prefix_of(&longest.log) => {}
                Some((other, longest)) if !longest.log.is_prefix_of(&output.log) => {
                    return Err(format!(
                        "{node} outputs {:?} in phase {}, but {other} had output {:?} in phase {}",
                        output.log, output.phase, longest.log, longest.phase
                    ));
                }
                _ => self.longest = Some((node, *output)),
            }
        }
        Ok(())
    }
}
