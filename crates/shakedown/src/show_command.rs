//! `shakedown show`: a finding, or any execution of a stored campaign, with its diagram; as a page, too.

use std::path::{Path, PathBuf};

use clap::Args;
use shakedown_campaign::{AnyTarget, CannotReplay, Failure, Replayed, Rerun, Silent, Verdict, guarded};
use shakedown_cluster::Recording;
use shakedown_report::{DiagramStyle, ForbiddenStep, Reproduction, described_failure};
use shakedown_store::Store;

use crate::command_error::CommandError;
use crate::command_line::find;
use crate::exit_status::ExitStatus;
use crate::features::HTML;
use crate::page::{PageOf, write_page};
use crate::printing::{print_recorded, replay_line, step_time};
use crate::terminal::{paint, print, print_line, width};

#[derive(Args)]
pub(crate) struct Show {
    /// A failure file, or the folder of a campaign
    finding: PathBuf,
    /// Which finding of the campaign, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,
    /// Show the execution of this number instead, counted from 0, whether it failed or not; only for
    /// strategies that do not learn
    #[arg(long, value_name = "N", conflicts_with = "number")]
    execution: Option<u64>,
    /// Which campaign of the folder the execution is of, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "execution")]
    campaign: usize,
    /// Write an HTML page, one file that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The path of the failure file that the page names, if it is not the one that is read
    #[arg(long, value_name = "FILE", hide = true)]
    shown_as: Option<PathBuf>,
    /// A way to another page, as `NAME=ADDRESS`
    #[arg(long, value_name = "NAME=ADDRESS", hide = true, value_parser = link)]
    link: Vec<(String, String)>,
}

fn link(text: &str) -> Result<(String, String), String> {
    let (name, address) = text.split_once('=').ok_or("there is no `=` in it")?;
    Ok((name.to_owned(), address.to_owned()))
}

pub(crate) fn show(targets: &[Box<dyn AnyTarget>], options: &Show) -> Result<ExitStatus, CommandError> {
    if options.html.is_some() {
        HTML.needed_for("--html").map_err(CommandError)?;
    }
    if let Some(number) = options.execution {
        return show_execution(targets, options, number);
    }
    if options.number != 1 && !options.finding.is_dir() {
        let how = "--number has no effect on a failure file: give the folder of a campaign";
        return Err(CommandError(how.to_owned()));
    }
    let (failure, file) = match options.finding.is_dir() {
        true => stored(&options.finding, options.number)?,
        false => (Failure::read(&options.finding)?, Some(options.finding.clone())),
    };
    let target = find(targets, &failure.target)?;
    print_recorded(target, &failure);
    if let Some(out) = &options.html {
        page_of_failure(target, failure, file.as_deref(), options, out)?;
        print_line!("  {}          {}", paint().faint("page"), out.display());
    }
    Ok(ExitStatus::Fail)
}

/// The finding of this number in a folder, and its file if it has one.
fn stored(folder: &Path, number: usize) -> Result<(Failure, Option<PathBuf>), CommandError> {
    let kept = Store::look_at(folder)?.joined_campaigns()?;
    let mut all = kept.into_iter().filter_map(|kept| kept.standing).flat_map(|standing| standing.findings);
    let wanted = number.checked_sub(1).and_then(|number| all.nth(number));
    let finding = wanted
        .ok_or_else(|| CommandError(format!("there is no finding {number} in {}", folder.display())))?;
    Ok((finding.failure, finding.path))
}

fn replayed(target: &dyn AnyTarget, failure: &Failure) -> Result<Replayed, CannotReplay> {
    guarded(step_time(target), &Silent, failure.found.execution, |beat| {
        failure.replay_with_model(target, Recording::Full, beat)
    })
}

fn page_of_failure(
    target: &dyn AnyTarget,
    failure: Failure,
    file: Option<&Path>,
    options: &Show,
    out: &Path,
) -> Result<(), CommandError> {
    let replayed = match replayed(target, &failure) {
        Ok(replayed) => replayed,
        Err(CannotReplay::Diverged(divergence)) => return Err(divergence.into()),
        Err(CannotReplay::Begin(error)) => return Err(error.into()),
    };
    let file = options.shown_as.as_deref().or(file);
    let page = PageOf {
        file,
        replay: file.map(replay_line).unwrap_or_default(),
        explained: None,
        links: options.link.clone(),
    };
    write_page(target, out, failure, replayed, page)
}

/// Shows an execution of a stored campaign, by its number.
fn show_execution(
    targets: &[Box<dyn AnyTarget>],
    options: &Show,
    number: u64,
) -> Result<ExitStatus, CommandError> {
    let overviews = Store::look_at(&options.finding)?.joined_overviews()?;
    let wanted = options.campaign.checked_sub(1).and_then(|campaign| overviews.get(campaign));
    let plan = match wanted {
        Some(overview) => &overview.plan,
        None => return Err(CommandError(format!("there is no campaign {}", options.campaign))),
    };
    let target = find(targets, &plan.target)?;
    let campaign = plan.campaign(target)?;
    let Rerun { verdict, recorded } =
        guarded(step_time(target), &Silent, number, |beat| campaign.rerun(number, beat))?;
    // Once more with everything recorded: contents, states, and what a specification says.
    let outcome = replayed(target, &recorded).ok().and_then(|replayed| replayed.outcome);
    let reproduction = match &verdict {
        Verdict::Fail(_) => Reproduction::Violated,
        Verdict::Pass | Verdict::Unknown(_) => Reproduction::Execution,
    };
    let style = DiagramStyle { width: width(), ..DiagramStyle::default() };
    let trace = outcome.as_ref().map(|outcome| &outcome.trace);
    let forbidden = outcome.as_ref().and_then(|outcome| ForbiddenStep::first(&outcome.spec_steps));
    print(&described_failure(&recorded, reproduction, trace, forbidden.as_ref(), style));
    if let Some(out) = &options.html {
        page_of_execution(target, recorded, outcome, (&verdict, reproduction), options, out)?;
        print_line!("  {}          {}", paint().faint("page"), out.display());
    }
    Ok(ExitStatus::from(&verdict))
}

#[cfg(feature = "html")]
fn page_of_execution(
    target: &dyn AnyTarget,
    recorded: Failure,
    outcome: Option<shakedown_campaign::Outcome>,
    (verdict, reproduction): (&Verdict, Reproduction),
    options: &Show,
    out: &Path,
) -> Result<(), CommandError> {
    use shakedown_report::html::{HtmlReport, ReportVerdict, render};

    use crate::printing::{Shown, program, shell_word, write_file};

    let number = recorded.found.execution;
    let verdict_text = match verdict {
        Verdict::Pass => "Every property holds in this execution.".to_owned(),
        Verdict::Fail(_) => {
            "This execution violates a property. It is shown as it was found, not shrunk.".to_owned()
        }
        Verdict::Unknown(reason) => format!("Inconclusive: {reason}."),
    };
    let title = format!("Execution {number} of {}", recorded.target);
    let folder = shell_word(&options.finding.to_string_lossy());
    let again = format!("{} show {folder} --execution {number}", shell_word(&program()));
    let shown = outcome.map(Shown::from).unwrap_or_default();
    let finding = shown.report(target, recorded, reproduction, None, again);
    let page = render(&HtmlReport {
        title,
        verdict: ReportVerdict::of(verdict),
        verdict_text,
        findings: vec![finding],
        links: options.link.clone(),
        ..HtmlReport::default()
    });
    write_file(out, &page)
}

#[cfg(not(feature = "html"))]
fn page_of_execution(
    _target: &dyn AnyTarget,
    _recorded: Failure,
    _outcome: Option<shakedown_campaign::Outcome>,
    _verdict: (&Verdict, Reproduction),
    _options: &Show,
    _out: &Path,
) -> Result<(), CommandError> {
    HTML.needed_for("a page").map_err(CommandError)
}
