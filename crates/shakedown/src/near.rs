//! The name that was probably meant by one that there is not.

/// The name that is nearest to this one, if any is near: at most a third of its letters are wrong.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = name.chars().count().max(3) / 3;
    let near = known.into_iter().map(|known| (distance(name, known), known));
    near.filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// What to add to an error about a name: nothing, if no name is near.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// How many letters have to be put in, taken out, changed or swapped with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(NAME_MAX).collect(), b.chars().take(NAME_MAX).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = match (i, j) {
                (0, j) => j,
                (i, 0) => i,
                (i, j) => {
                    let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if is_swap { least.min(rows[i - 2][j - 2] + 1) } else { least }
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

/// The most letters of a name that are compared.
const NAME_MAX: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_wrong_letter_or_two_is_known() {
        let known = ["raft", "planted-raft", "omnipaxos", "pbft"];
        for (name, meant) in [
            ("rfat", Some("raft")),
            ("ratf", Some("raft")),
            ("planted-rft", Some("planted-raft")),
            ("omnipaxso", Some("omnipaxos")),
            ("zab", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
