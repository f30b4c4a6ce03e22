//! Corpora: inputs that a fuzzer went on from, in a file of their own, to be played again, taken together and
//! made smaller.
//!
//! An input is worth keeping for what it covers, so whatever is done with a corpus begins with playing all of
//! it under the eyes of its guide ([`Corpus::play`]). The file is JSON, versioned; inputs are in the
//! strategy's own form, as base64.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use shakedown_explore::{Execution, Experience, Explorer, Lesson, Strategy, StrategyChoice};

use crate::{AnyTarget, Campaign, CampaignError, Config, Progress, Summary, whole_file};

/// What every corpus file says it is.
const FORMAT: &str = "shakedown-corpus";
/// The version of the format that this program writes and reads.
const VERSION: u32 = 1;
/// The largest corpus file that is read.
const FILE_SIZE_MAX: u64 = 512 << 20;
/// How many inputs are played before what they covered is collected.
const GENERATION: u64 = 256;

/// Inputs, and what they are inputs of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Corpus {
    format: String,
    version: u32,
    /// The version of Shakedown that wrote it.
    pub shakedown: String,
    /// The target.
    pub target: String,
    /// What exactly was under test.
    pub target_version: String,
    /// How the target is run.
    pub config: Config,
    /// The strategy whose inputs they are.
    pub strategy: StrategyChoice,
    /// The inputs.
    #[serde(with = "as_base64")]
    pub inputs: Vec<Vec<u8>>,
}

/// What came of playing a corpus.
pub struct PlayedCorpus {
    /// As of any campaign.
    pub summary: Summary,
    /// What each input covered.
    pub covered: Vec<Vec<u64>>,
}

/// Why a corpus cannot be read, written or taken together with another.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// An I/O error.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Not a corpus, or a damaged one.
    #[error("{path} is no corpus, or a damaged one: {reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        reason: String,
    },
    /// Two corpora of different things.
    #[error("the corpora differ in {what}: {first} and {second}")]
    Different {
        /// What they differ in.
        what: &'static str,
        /// That of the first.
        first: String,
        /// That of the second.
        second: String,
    },
}

impl Corpus {
    /// The name of the file in a folder.
    pub const FILE: &'static str = "corpus.json";

    /// These inputs of the strategy of a campaign.
    pub fn of(campaign: &Campaign<'_>, inputs: Vec<Vec<u8>>) -> Corpus {
        Corpus {
            format: FORMAT.to_owned(),
            version: VERSION,
            shakedown: env!("CARGO_PKG_VERSION").to_owned(),
            target: campaign.target.name().to_owned(),
            target_version: campaign.target.version().to_owned(),
            config: campaign.plan.config.clone(),
            strategy: campaign.plan.strategy.clone(),
            inputs,
        }
    }

    /// Reads the corpus of a folder. Its inputs are checked when they are played.
    pub fn read(folder: &Path) -> Result<Corpus, CorpusError> {
        let path = folder.join(Corpus::FILE);
        let malformed = |reason: String| CorpusError::Malformed { path: path.clone(), reason };
        let io = |source| CorpusError::Io { path: path.clone(), source };
        let mut text = String::new();
        fs::File::open(&path).map_err(io)?.take(FILE_SIZE_MAX + 1).read_to_string(&mut text).map_err(io)?;
        if text.len() as u64 > FILE_SIZE_MAX {
            return Err(malformed(format!("it has more than {FILE_SIZE_MAX} bytes")));
        }
        let corpus: Corpus = serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        if corpus.format != FORMAT || corpus.version != VERSION {
            let Corpus { format, version, .. } = &corpus;
            return Err(malformed(format!("it is {format:?} {version}, this is {FORMAT:?} {VERSION}")));
        }
        Ok(corpus)
    }

    /// Writes the corpus into a folder, which is made if need be. A corpus that is there already is replaced
    /// as a whole.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, CorpusError> {
        let path = folder.join(Corpus::FILE);
        let io = |source| CorpusError::Io { path: path.clone(), source };
        let text = serde_json::to_vec(self).map_err(|error| io(error.into()))?;
        whole_file::write(&path, &text).map_err(io)?;
        Ok(path)
    }

    /// The campaign that plays these inputs, one execution each.
    pub fn campaign<'a>(&self, target: &'a dyn AnyTarget) -> Campaign<'a> {
        let mut campaign = Campaign::new(target);
        campaign.plan.config = self.config.clone();
        campaign.plan.strategy = self.strategy.clone();
        campaign.plan.inputs = self.inputs.clone().into();
        campaign.plan.executions = self.inputs.len() as u64;
        (campaign.plan.keep_going, campaign.plan.shrink) = (true, None);
        campaign
    }

    /// Plays all inputs, each in the world that it was found in.
    pub fn play(
        &self,
        campaign: &Campaign<'_>,
        progress: &dyn Progress,
    ) -> Result<PlayedCorpus, CampaignError> {
        let explorer = campaign.explorer()?;
        let mut listener = Listener { explorer, covered: vec![Vec::new(); self.inputs.len()] };
        let summary = campaign.run_with(&mut listener, progress)?;
        Ok(PlayedCorpus { summary, covered: listener.covered })
    }

    /// Whether these are inputs of the same thing; the error says what differs.
    pub fn is_like(&self, other: &Corpus) -> Result<(), CorpusError> {
        let config = |corpus: &Corpus| serde_json::to_string(&corpus.config).unwrap_or_default();
        for (what, first, second) in [
            ("target", self.target.clone(), other.target.clone()),
            ("version of the target", self.target_version.clone(), other.target_version.clone()),
            ("configuration", config(self), config(other)),
        ] {
            if first != second {
                return Err(CorpusError::Different { what, first, second });
            }
        }
        Ok(())
    }

    /// Takes in the inputs of another corpus that are not here yet.
    pub fn take_in(&mut self, other: &Corpus) -> Result<(), CorpusError> {
        self.is_like(other)?;
        if self.strategy != other.strategy {
            let (first, second) = (self.strategy.to_string(), other.strategy.to_string());
            return Err(CorpusError::Different { what: "strategy", first, second });
        }
        let known: FxHashSet<&[u8]> = self.inputs.iter().map(Vec::as_slice).collect();
        let fresh: Vec<_> =
            other.inputs.iter().filter(|input| !known.contains(input.as_slice())).cloned().collect();
        self.inputs.extend(fresh);
        Ok(())
    }

    /// The inputs of these numbers.
    #[must_use]
    pub fn only(&self, numbers: &[usize]) -> Corpus {
        let inputs = numbers.iter().filter_map(|&number| self.inputs.get(number)).cloned().collect();
        Corpus { inputs, ..self.clone() }
    }
}

impl PlayedCorpus {
    /// The inputs that covered something that none before them did, by number.
    pub fn fruitful(&self) -> Vec<usize> {
        fruitful(&self.covered)
    }

    /// Few inputs that cover what all of them do, by number.
    pub fn few(&self) -> Vec<usize> {
        few(&self.covered)
    }
}

fn fruitful(covered: &[Vec<u64>]) -> Vec<usize> {
    let mut known: FxHashSet<u64> = FxHashSet::default();
    let adds = |number: &usize| {
        let before = known.len();
        known.extend(&covered[*number]);
        known.len() > before
    };
    (0..covered.len()).filter(adds).collect()
}

/// Always the one next that adds the most, the earlier one if there are several.
fn few(covered: &[Vec<u64>]) -> Vec<usize> {
    let mut known: FxHashSet<u64> = FxHashSet::default();
    let mut chosen = Vec::new();
    // What an input adds only ever gets less: so it has to be counted again only when it comes to the top.
    let most = covered.iter().enumerate().map(|(number, covered)| (covered.len(), Reverse(number)));
    let mut waiting: BinaryHeap<_> = most.collect();
    while let Some((_, Reverse(number))) = waiting.pop() {
        let adds = covered[number].iter().filter(|item| !known.contains(item)).count();
        if adds == 0 {
            continue;
        }
        if waiting.peek().is_some_and(|next| *next > (adds, Reverse(number))) {
            waiting.push((adds, Reverse(number)));
            continue;
        }
        known.extend(&covered[number]);
        chosen.push(number);
    }
    chosen.sort_unstable();
    chosen
}

/// Lets an explorer play, learns nothing, and collects what was covered.
struct Listener {
    explorer: Box<dyn Explorer>,
    covered: Vec<Vec<u64>>,
}

impl Explorer for Listener {
    fn strategy(&self, execution: &Execution) -> Box<dyn Strategy> {
        self.explorer.strategy(execution)
    }

    fn world(&self, execution: &Execution) -> Option<u64> {
        self.explorer.world(execution)
    }

    fn generation(&self) -> Option<u64> {
        Some(GENERATION)
    }

    fn guide(&self) -> Option<&str> {
        self.explorer.guide()
    }

    fn learn(&mut self, execution: &Execution, _experience: Experience, lesson: &Lesson<'_>) {
        if let Some(covered) = self.covered.get_mut(execution.number as usize) {
            *covered = lesson.covered.to_vec();
        }
    }
}

/// Inputs as base64 in JSON.
pub(crate) mod as_base64 {
    use super::BASE64;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(inputs: &[Vec<u8>], to: S) -> Result<S::Ok, S::Error> {
        inputs.iter().map(|input| BASE64.encode(input)).collect::<Vec<_>>().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, I: From<Vec<Vec<u8>>>>(from: D) -> Result<I, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        let decode = |text: &String| BASE64.decode(text.as_bytes()).map_err(D::Error::custom);
        Ok(I::from(texts.iter().map(decode).collect::<Result<Vec<_>, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(sets: &[&[u64]]) -> Vec<Vec<u64>> {
        sets.iter().map(|set| set.to_vec()).collect()
    }

    #[test]
    fn an_input_is_fruitful_if_it_adds_something() {
        assert_eq!(fruitful(&sets(&[&[1], &[1], &[1, 2], &[], &[3, 1]])), [0, 2, 4]);
    }

    #[test]
    fn few_inputs_cover_what_all_do() {
        assert_eq!(few(&sets(&[&[1], &[2], &[1, 2], &[3], &[3]])), [2, 3]);
        // The greedy way takes the largest first, and it may take one more than the fewest.
        assert_eq!(few(&sets(&[&[1, 2, 5], &[3, 4, 6], &[2, 3, 4, 5]])), [0, 1, 2]);
        assert_eq!(few(&sets(&[&[], &[]])), [0; 0]);
    }
}
