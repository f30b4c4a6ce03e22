//! PlusCal: algorithms in the comments of a module, translated to TLA+.
//!
//! An algorithm is translated by steps of its own: `source` finds it in a file, `parse` and `statement` read
//! it, `macros` expands macros, `labels` adds labels and cuts the statements into steps, `names` makes names
//! different, `explode` turns jumps and calls into assignments, and `generate` writes the actions. The result
//! is what the reference translator writes, in both syntaxes, with the same checksums.

mod ast;
mod checksum;
mod explode;
mod expr;
mod generate;
mod labels;
mod macros;
mod names;
mod options;
mod parse;
mod reader;
mod source;
mod statement;
mod token;

pub use self::options::{Fairness, Options, Version};
pub use self::source::without_keywords;
use self::source::{Source, has_algorithm};

/// What is wrong with an algorithm, and where.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// The line and the column, from 0; missing if it is about the whole.
    place: Option<(usize, i64)>,
    message: String,
}

impl Problem {
    fn nowhere(message: impl Into<String>) -> Problem {
        Problem { place: None, message: message.into() }
    }

    /// The same, at a place if it has none.
    fn or_at(mut self, line: usize, column: i64) -> Problem {
        self.place = self.place.or(Some((line, column)));
        self
    }

    /// The line and the column, both from 1; where it is about the whole, the beginning.
    pub fn place(&self) -> (u32, u32) {
        let (line, column) = self.place.map_or((1, 1), |(line, column)| (line + 1, column + 1));
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(1))
    }

    /// What is wrong, in words.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A problem at a line and a column, both from 0.
fn at(line: usize, column: i64, message: impl Into<String>) -> Problem {
    Problem { place: Some((line, column)), message: message.into() }
}

/// A label that was added to an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedLabel {
    /// Its name.
    pub label: String,
    /// Where it was added, in words.
    pub place: String,
    line: usize,
    column: usize,
}

/// An algorithm that was translated.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The file with the translation in it.
    pub text: String,
    /// The lines between `BEGIN TRANSLATION` and `END TRANSLATION`.
    pub lines: Vec<String>,
    /// The labels that were added.
    pub added: Vec<AddedLabel>,
    /// Whether names were changed to make them different; the translation starts with the changes.
    pub is_renamed: bool,
}

/// How a translation in a file relates to its algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// There is no algorithm.
    NoAlgorithm,
    /// There is no translation.
    Untranslated,
    /// The translation has no checksums: nothing is known.
    Unknown,
    /// The algorithm has changed since it was translated.
    AlgorithmChanged,
    /// The translation has changed since it was made.
    TranslationChanged,
    /// The translation is that of the algorithm.
    Current,
}

/// What an algorithm becomes.
struct Translated {
    lines: Vec<String>,
    algorithm_sum: String,
    added: Vec<AddedLabel>,
    is_renamed: bool,
}

fn translate_source(source: &Source, options: &Options) -> Result<Translated, Problem> {
    let options = options.with_statement_in(&source.lines, source.markers)?;
    let parse::Parsed { mut algorithm, added, fairness } = parse::parse(source, &options)?;
    let report = names::resolve(&mut algorithm)?;
    let steps = explode::explode(&mut algorithm)?;
    let lines = generate::generate(&algorithm, &steps, &report, fairness, &options)?;
    let algorithm_sum = checksum::of_algorithm(&algorithm);
    Ok(Translated { lines, algorithm_sum, added, is_renamed: !report.is_empty() })
}

/// Translates the algorithm in the text of a module.
pub fn translate(text: &str, options: &Options) -> Result<Translation, Problem> {
    let source = Source::find(text)?;
    let Translated { lines, algorithm_sum, added, is_renamed } = translate_source(&source, options)?;
    if lines.iter().any(|line| source::is_marker(line)) {
        let message = "the translation would have a line with BEGIN TRANSLATION or END TRANSLATION in it";
        return Err(Problem::nowhere(message));
    }
    let sums = [algorithm_sum, checksum::of_translation(&lines)];
    let (begin, before, after) = match source.markers {
        Some((begin, end)) => (with_sums(&source.lines[begin], &sums), begin, end),
        None => {
            let place = source.place_for_markers()?;
            let [algorithm, translation] = &sums;
            let sums = format!("(chksum(pcal) = \"{algorithm}\" /\\ chksum(tla) = \"{translation}\")");
            (format!("\\* BEGIN TRANSLATION {sums}"), place, place)
        }
    };
    let end = source.markers.is_none().then(|| "\\* END TRANSLATION ".to_string());
    let whole = source.lines[..before].iter().chain([&begin]).chain(&lines);
    let whole: Vec<&str> = whole.chain(&end).chain(&source.lines[after..]).map(String::as_str).collect();
    // A file keeps its line ends.
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let text = whole.iter().map(|line| format!("{line}{line_end}")).collect();
    Ok(Translation { text, lines, added, is_renamed })
}

/// A line of `BEGIN TRANSLATION` whose checksums, where it has any, are new.
fn with_sums(line: &str, sums: &[String; 2]) -> String {
    let mut result = line.to_string();
    for (name, sum) in ["pcal", "tla"].into_iter().zip(sums) {
        if let Some((start, end)) = sum_place(&result, name) {
            result.replace_range(start..end, sum);
        }
    }
    result
}

/// Where the checksum of the algorithm (`pcal`) or the translation (`tla`) stands in a line.
fn sum_place(line: &str, name: &str) -> Option<(usize, usize)> {
    let lower = line.to_ascii_lowercase();
    let names: &[&str] = if name == "pcal" { &["pcal", "pluscal"] } else { &["tla", "tla+"] };
    let mut starts = names.iter().flat_map(|name| [format!("chksum({name})"), format!("checksum({name})")]);
    let behind = starts.find_map(|start| lower.find(&start).map(|place| place + start.len()))?;
    let rest = line[behind..].trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    let start = line.len() - rest.len();
    let length = rest.find('"')?;
    rest[..length].chars().all(|c| c.is_ascii_hexdigit()).then_some((start, start + length))
}

/// Whether the translation in the text of a module is up to date.
pub fn status(text: &str) -> Status {
    if !has_algorithm(text) {
        return Status::NoAlgorithm;
    }
    let Ok(source) = Source::find(text) else { return Status::Unknown };
    let Some((begin, end)) = source.markers else { return Status::Untranslated };
    let line = &source.lines[begin];
    let sum = |name: &str| sum_place(line, name).map(|(start, end)| &line[start..end]);
    if let Some(sum) = sum("tla")
        && sum != checksum::of_translation(&source.lines[begin + 1..end])
    {
        return Status::TranslationChanged;
    }
    let Some(sum) = sum("pcal") else { return Status::Unknown };
    // Missing labels make no difference here: they were added when the algorithm was translated.
    let options = Options { label: true, ..Options::default() };
    match translate_source(&source, &options) {
        Ok(translated) if translated.algorithm_sum == sum => Status::Current,
        // An algorithm that cannot be translated has changed as well.
        _ => Status::AlgorithmChanged,
    }
}
