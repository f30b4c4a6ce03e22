//! Corpora on disk: `corpus min`, `corpus merge`, `corpus replay`, and `run --corpus`.
//!
//! A folder holds a corpus either as a file of its own or in a campaign that was kept: then it is what the
//! campaign's fuzzer would go on from.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use shakedown_campaign::{AnyTarget, Campaign, Corpus, PlayedCorpus, Verdict};
use shakedown_report::grouped;
#[cfg(feature = "store")]
use shakedown_store::{Kept, Store};

use crate::command_line::{CommandError, ExitStatus, find};
#[cfg(not(feature = "store"))]
use crate::features::STORE;
use crate::jobs::Jobs;
use crate::terminal::{Display, paint, print_line};

/// What to do with corpora.
#[derive(Subcommand)]
pub(crate) enum CorpusCommand {
    /// Select few inputs that cover what all of them cover
    Min(Gather),
    /// Merge several corpora; inputs that cover nothing new are left out
    Merge(Gather),
    /// Replay every input, and report what they cover and which of them fail
    Replay(Replay),
}

#[derive(Args)]
pub(crate) struct Gather {
    /// The folders of corpora or stored campaigns
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
}

#[derive(Args)]
pub(crate) struct Replay {
    /// The folders of corpora or stored campaigns
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    jobs: Jobs,
}

/// Does it.
pub(crate) fn corpus(
    targets: &[Box<dyn AnyTarget>],
    command: &CorpusCommand,
) -> Result<ExitStatus, CommandError> {
    match command {
        CorpusCommand::Min(options) => {
            shorten(targets, options, |played| played.few()).map(|()| ExitStatus::Pass)
        }
        CorpusCommand::Merge(options) => {
            shorten(targets, options, |played| played.fruitful()).map(|()| ExitStatus::Pass)
        }
        CorpusCommand::Replay(options) => {
            let mut worst = Verdict::Pass;
            for folder in &options.folders {
                let corpus = read(targets, folder)?;
                let played = play(targets, &corpus, options.jobs)?;
                print_line!("{}", paint().strong(folder.display()));
                print_report(&corpus, &played);
                worst = worst.and(played.summary.verdict());
            }
            Ok(ExitStatus::from(&worst))
        }
    }
}

/// Writes those inputs of all these corpora that are chosen.
fn shorten(
    targets: &[Box<dyn AnyTarget>],
    options: &Gather,
    choose: impl Fn(&PlayedCorpus) -> Vec<usize>,
) -> Result<(), CommandError> {
    let corpus = read_all(targets, &options.folders)?;
    let played = play(targets, &corpus, options.jobs)?;
    print_report(&corpus, &played);
    let chosen = corpus.only(&choose(&played));
    let path = chosen.write(&options.into)?;
    let (left, all) = (chosen.inputs.len() as u64, corpus.inputs.len() as u64);
    print_line!("{} of {} inputs cover the same: {}", grouped(left), grouped(all), path.display());
    Ok(())
}

/// Plays a corpus.
fn play(targets: &[Box<dyn AnyTarget>], corpus: &Corpus, jobs: Jobs) -> Result<PlayedCorpus, CommandError> {
    let target = find(targets, &corpus.target)?;
    if corpus.target_version != target.version() {
        let (then, now) = (&corpus.target_version, target.version());
        return Err(CommandError(format!(
            "the corpus is of `{then}`, this is `{now}`: its inputs would do other things"
        )));
    }
    let campaign = Campaign { jobs: jobs.of(target), ..corpus.campaign(target) };
    if campaign.explorer()?.guide().is_none() {
        return Err(CommandError(format!(
            "`{}` has no guide that says what an input covers",
            corpus.strategy
        )));
    }
    let display = Display::new(campaign.plan.executions, None, false);
    let played = corpus.play(&campaign, &display);
    display.finish();
    Ok(played?)
}

fn print_report(corpus: &Corpus, played: &PlayedCorpus) {
    let summary = &played.summary;
    let seen = summary.coverage.first().map_or_else(String::new, |coverage| {
        format!(", {} seen by the guide {}", grouped(coverage.covered()), coverage.guide)
    });
    print_line!("{} inputs of {} with {}{seen}", grouped(summary.executions), corpus.target, corpus.strategy);
    for finding in &summary.findings {
        let violation = &finding.failure.violation;
        print_line!("  {} fail: {}: {}", grouped(finding.hits), violation.property, violation.reason);
    }
}

/// Lets a campaign begin with the corpora of these folders.
pub(crate) fn begin_with(
    targets: &[Box<dyn AnyTarget>],
    folders: &[PathBuf],
    campaign: &mut Campaign<'_>,
) -> Result<(), CommandError> {
    if folders.is_empty() {
        return Ok(());
    }
    let corpus = read_all(targets, folders)?;
    Corpus::of(campaign, Vec::new()).is_like(&corpus)?;
    campaign.plan.inputs = corpus.inputs.into();
    Ok(())
}

/// The corpora of these folders, taken together.
fn read_all(targets: &[Box<dyn AnyTarget>], folders: &[PathBuf]) -> Result<Corpus, CommandError> {
    let mut all: Option<Corpus> = None;
    for folder in folders {
        let corpus = read(targets, folder)?;
        match &mut all {
            None => all = Some(corpus),
            Some(all) => {
                all.take_in(&corpus)
                    .map_err(|error| CommandError(format!("{}: {error}", folder.display())))?;
            }
        }
    }
    all.ok_or_else(|| CommandError("no corpus was given".to_owned()))
}

/// The corpus of a folder.
fn read(targets: &[Box<dyn AnyTarget>], folder: &Path) -> Result<Corpus, CommandError> {
    let corpus =
        if folder.join(Corpus::FILE).exists() { Corpus::read(folder)? } else { read_kept(targets, folder)? };
    if corpus.inputs.is_empty() {
        return Err(CommandError(format!("{} holds no inputs", folder.display())));
    }
    Ok(corpus)
}

/// What the fuzzers of the campaigns in a folder would go on from.
#[cfg(feature = "store")]
fn read_kept(targets: &[Box<dyn AnyTarget>], folder: &Path) -> Result<Corpus, CommandError> {
    if !Store::is_in(folder) {
        return Err(CommandError(format!(
            "{} holds neither a corpus nor a campaign: `shakedown run TARGET --strategy fuzz --keep DIR` stores one",
            folder.display()
        )));
    }
    let store = Store::look_at(folder)?;
    let mut all: Option<Corpus> = None;
    for Kept { plan, learned, .. } in store.campaigns()? {
        let campaign = plan.campaign(find(targets, &plan.target)?)?;
        let mut explorer = campaign.explorer()?;
        let damaged =
            |reason| CommandError(format!("{}: what the strategy had learned: {reason}", folder.display()));
        explorer.load(&learned).map_err(damaged)?;
        let corpus = Corpus::of(&campaign, explorer.inputs());
        match &mut all {
            None => all = Some(corpus),
            Some(all) => all.take_in(&corpus)?,
        }
    }
    all.ok_or_else(|| CommandError(format!("{} holds no campaign", folder.display())))
}

/// Reports that this build has no campaigns in folders.
#[cfg(not(feature = "store"))]
fn read_kept(_targets: &[Box<dyn AnyTarget>], folder: &Path) -> Result<Corpus, CommandError> {
    let what = format!("{} holds no corpus, and a campaign that is in a folder", folder.display());
    Err(CommandError(STORE.missing(&what)))
}
