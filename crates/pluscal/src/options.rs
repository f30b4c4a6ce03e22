//! How an algorithm is translated, from the command line and from the file itself.

use super::{Problem, at};

/// Which fairness is conjoined to the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// What the algorithm itself says.
    #[default]
    Own,
    /// Weak fairness of each process.
    Weak,
    /// Strong fairness of each process.
    Strong,
    /// Weak fairness of the whole next-state action.
    WeakNext,
    /// None, whatever the algorithm says.
    Nothing,
}

/// Which version of PlusCal an algorithm is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// Before 1.5: `pc` is always there.
    Old,
    /// 1.5, where a body without processes may be `fair`.
    WithFairBody,
    /// Anything after it.
    #[default]
    Current,
}

impl Version {
    fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
        // 1.12 is 1.120, before 1.5.
        let minor: u32 = format!("{minor:0<3}").parse().ok()?;
        let number = major.parse::<u32>().ok()?.checked_mul(1_000)?.checked_add(minor)?;
        Some(match number {
            0..1_500 => Version::Old,
            1_500 => Version::WithFairBody,
            _ => Version::Current,
        })
    }
}

/// How to translate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Add missing labels. They are always added to an algorithm without processes and without labels.
    pub label: bool,
    /// How added labels start.
    pub label_root: String,
    /// Which fairness the specification gets.
    pub fairness: Fairness,
    /// Leave out the step that an algorithm that has ended repeats.
    pub omit_done: bool,
    /// How long lines become before they are broken where they can be.
    pub line_width: usize,
    /// Which version of PlusCal it is.
    pub version: Version,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            label: false,
            label_root: "Lbl_".to_string(),
            fairness: Fairness::Own,
            omit_done: false,
            line_width: 78,
            version: Version::Current,
        }
    }
}

/// The shortest line width.
pub(super) const LINE_WIDTH_MIN: usize = 60;

/// Whether a text can be the start of labels.
pub(super) fn is_label_root(root: &str) -> bool {
    root.starts_with(|c: char| c.is_ascii_alphabetic())
        && root.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Options {
    /// These options changed by a statement `PlusCal options (…)` of a file.
    pub(super) fn with_statement_in(
        &self,
        lines: &[String],
        translation: Option<(usize, usize)>,
    ) -> Result<Options, Problem> {
        let mut options = self.clone();
        let Some((line, words)) = statement(lines, translation)? else { return Ok(options) };
        let wrong = |message: String| at(line, 0, message);
        let mut has_fairness = false;
        let mut terminates = false;
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let word = word.strip_prefix('-').unwrap_or(word);
            let mut argument = || words.next().ok_or_else(|| wrong(format!("option {word} has no argument")));
            let fairness = match word {
                "wf" => Some(Fairness::Weak),
                "sf" => Some(Fairness::Strong),
                "wfNext" => Some(Fairness::WeakNext),
                "nof" => Some(Fairness::Nothing),
                _ => None,
            };
            if let Some(fairness) = fairness {
                if std::mem::replace(&mut has_fairness, true) {
                    return Err(wrong(
                        "only one of the options wf, sf, wfNext and nof can be given".to_string(),
                    ));
                }
                options.fairness = fairness;
                continue;
            }
            match word {
                "label" => options.label = true,
                "termination" => terminates = true,
                "noDoneDisjunct" => options.omit_done = true,
                "labelRoot" => {
                    options.label_root = argument()?.to_string();
                    if !is_label_root(&options.label_root) {
                        return Err(wrong("labelRoot is no name that starts with a letter".to_string()));
                    }
                }
                "lineWidth" => {
                    let width =
                        argument()?.parse().ok().filter(|width| (LINE_WIDTH_MIN..=10_000).contains(width));
                    options.line_width =
                        width.ok_or_else(|| wrong("lineWidth is at least 60".to_string()))?;
                }
                "version" => {
                    let version = Version::parse(argument()?);
                    options.version = version.ok_or_else(|| wrong("version is no version".to_string()))?;
                }
                "noold" | "nocfg" => {}
                _ => return Err(wrong(format!("there is no option {word}"))),
            }
        }
        if terminates && options.fairness == Fairness::Own {
            options.fairness = Fairness::Weak;
        }
        Ok(options)
    }
}

/// The words in the parentheses of `PlusCal options (…)`, and its line. The lines of a translation are no
/// place for it: they follow from the algorithm.
fn statement(
    lines: &[String],
    translation: Option<(usize, usize)>,
) -> Result<Option<(usize, Vec<String>)>, Problem> {
    for (number, line) in lines.iter().enumerate() {
        if translation.is_some_and(|(begin, end)| (begin..=end).contains(&number)) {
            continue;
        }
        let starts = line.match_indices("PlusCal").map(|(start, _)| start);
        for start in starts.filter(|start| *start == 0 || line[..*start].ends_with([' ', '\t'])) {
            let behind = line[start + "PlusCal".len()..].to_string();
            // The statement may go on in the next lines.
            let more = lines[number + 1..].iter().take(20);
            let text = more.fold(behind, |text, line| format!("{text} {line}"));
            let Some(rest) = text.trim_start().strip_prefix("options") else { continue };
            if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let opened = rest.trim_start().strip_prefix('(');
            let opened =
                opened.ok_or_else(|| at(number, start as i64, "`PlusCal options` is not followed by `(`"))?;
            let closed = opened.split_once(')');
            let (words, _) =
                closed.ok_or_else(|| at(number, start as i64, "the options do not end with `)`"))?;
            let words = words.split([' ', ',', '\t']).filter(|word| !word.is_empty());
            return Ok(Some((number, words.map(str::to_string).collect())));
        }
    }
    Ok(None)
}
