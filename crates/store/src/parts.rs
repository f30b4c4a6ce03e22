//! Campaigns that are parts of one are joined again.

use shakedown_campaign::{Joined, PartRecord, Plan, Whole};

use crate::{Kept, StoreError};

/// Checks that no two of these campaigns have executions in common, if they are parts of one.
pub(crate) fn check_apart(plans: &[Plan]) -> Result<(), StoreError> {
    for (number, plan) in plans.iter().enumerate() {
        for other in plans[..number].iter().filter(|other| *other != plan && other.is_part_like(plan)) {
            let (start, end) = (plan.first.max(other.first), end_of(plan).min(end_of(other)));
            if start < end {
                let (target, seed) = (plan.target.clone(), plan.seed);
                return Err(StoreError::Overlap { target, seed, execution: start });
            }
        }
    }
    Ok(())
}

/// Joins all parts that belong together. Campaigns that are whole stay as they are, in their order.
pub(crate) fn join_all(campaigns: Vec<Kept>) -> Result<Vec<Kept>, StoreError> {
    let plans: Vec<Plan> = campaigns.iter().map(|kept| kept.plan.clone()).collect();
    check_apart(&plans)?;
    let mut groups: Vec<Vec<Kept>> = Vec::new();
    for kept in campaigns {
        match groups.iter_mut().find(|group| group[0].plan.is_part_like(&kept.plan)) {
            Some(group) => group.push(kept),
            None => groups.push(vec![kept]),
        }
    }
    Ok(groups.into_iter().map(join).collect())
}

/// Joins the parts of one campaign.
fn join(mut parts: Vec<Kept>) -> Kept {
    parts.sort_by_key(|part| part.plan.first);
    let ranges: Vec<(u64, u64)> = parts.iter().map(|part| (part.plan.first, end_of(&part.plan))).collect();
    let is_over = parts.iter().all(|part| part.is_over);
    let count = parts.len();
    let mut parts = parts.into_iter();
    // A group is never empty.
    let Some(mut whole) = parts.next() else { unreachable!("a group has at least one part") };
    if count == 1 {
        return whole;
    }
    let declared = whole.plan.part_of.take();
    (whole.plan.first, whole.plan.executions) = match declared {
        Some(Whole { first, executions }) => (first, executions),
        None => (ranges[0].0, ranges.iter().map(|(first, end)| end - first).sum()),
    };
    let mut is_exact = true;
    for part in parts {
        let Some(standing) = part.standing else { continue };
        match &mut whole.standing {
            None => whole.standing = Some(standing),
            Some(known) => {
                is_exact &= known.join(standing, &part.record, whole.plan.variants) == Joined::Exactly;
            }
        }
    }
    (whole.parts, whole.learned, whole.record) = (count, Vec::new(), PartRecord::default());
    whole.notes.extend(declared.iter().flat_map(|declared| missing(*declared, &ranges)));
    whole.is_over = is_over && whole.notes.is_empty();
    if !is_exact {
        whole.notes.push(
            "A part was begun by an older version of Shakedown, without a journal: the fingerprint, the curves and the last \
             new execution are not those of the undivided campaign."
                .to_owned(),
        );
    }
    whole
}

/// A note for every range of executions that no part has.
fn missing(whole: Whole, ranges: &[(u64, u64)]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut next = whole.first;
    let end = whole.first.saturating_add(whole.executions);
    for &(first, last) in ranges.iter().chain(&[(end, end)]) {
        if next < first {
            notes.push(format!(
                "Executions {next} to {} are missing: merge the parts that have them, too.",
                first - 1
            ));
        }
        next = next.max(last);
    }
    notes
}

/// The number after the last execution.
fn end_of(plan: &Plan) -> u64 {
    plan.first.saturating_add(plan.executions)
}
