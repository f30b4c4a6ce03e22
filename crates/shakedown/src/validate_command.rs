//! `validate`: whether a recorded trace is a behaviour of a TLA+ specification.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value as Json, json};
use shakedown_conform::validate::{Limits, Refusal, Summary, Verdict, Why, validate as validate_trace};
use shakedown_report::grouped;
use shakedown_tla::command::{MEMORY_MEBIBYTES, SpecSources, load_spec};

use crate::command_line::{CommandError, ExitStatus};
use crate::terminal::{paint, print_line};

/// How many obstacles are printed, and how many candidate states.
const OBSTACLES_SHOWN: usize = 20;
const STATES_SHOWN: usize = 2;

#[derive(Args)]
pub(crate) struct Validate {
    /// The trace, JSON lines; `-` for standard input
    #[arg(value_name = "TRACE.jsonl")]
    trace: PathBuf,
    /// The root module of the specification
    #[arg(long, value_name = "SPEC.tla")]
    spec: PathBuf,
    /// The configuration [default: the file beside the module that ends with .cfg]
    #[arg(long, short = 'c', value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where else to look for modules and files
    #[arg(long, value_name = "FOLDER")]
    path: Vec<PathBuf>,
    /// A folder, or a file, that the specification may read though it is outside its own folders; may be
    /// repeated
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,
    /// Stop when the process uses this much memory
    #[arg(long, value_name = "MiB", default_value_t = MEMORY_MEBIBYTES)]
    memory: usize,
    /// Actions that may happen between two lines without being in the trace; `*` for all
    #[arg(long, value_name = "ACTION,…", value_delimiter = ',')]
    hidden: Vec<String>,
    /// The maximum number of hidden actions between two lines
    #[arg(long, value_name = "N", default_value_t = Limits::default().hidden)]
    max_hidden: usize,
    /// The maximum number of candidate states; beyond it the result may be inconclusive
    #[arg(long, value_name = "N", default_value_t = Limits::default().candidates)]
    max_candidates: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn validate(options: &Validate) -> Result<ExitStatus, CommandError> {
    let limits =
        Limits { hidden: options.max_hidden, candidates: options.max_candidates, ..Limits::default() };
    let mut trace = open(&options.trace)?;
    let load = |header: &shakedown_conform::validate::Header| {
        let sources = SpecSources {
            spec: &options.spec,
            config: options.config.as_deref(),
            folders: &options.path,
            allow_read: &options.allow_read,
            memory_mebibytes: options.memory,
        };
        load_spec(sources, |config| header.apply(config))
    };
    let verdict = validate_trace(trace.as_mut(), load, &options.hidden, limits)
        .map_err(|error| CommandError(format!("{}: {error}", options.trace.display())))?;
    if let Verdict::Explained(Summary { events: 0, candidates: 0, .. }) = verdict {
        return Err(CommandError(format!(
            "{} has no events: there is nothing to check",
            options.trace.display()
        )));
    }
    if options.json {
        print_line!("{:#}", as_json(&verdict));
    } else {
        print_report(&verdict, limits);
    }
    Ok(match verdict {
        Verdict::Explained(_) => ExitStatus::Pass,
        Verdict::Refused(..) => ExitStatus::Fail,
        Verdict::Unknown(..) => ExitStatus::Unknown,
    })
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, CommandError> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(CommandError(format!("{}: {error}", path.display()))),
    }
}

fn print_report(verdict: &Verdict, limits: Limits) {
    let paint = paint();
    match verdict {
        Verdict::Explained(summary) => {
            let events = match summary.events {
                1 => "the only event is".to_owned(),
                events => format!("all {} events are", grouped(events)),
            };
            print_line!("{}", paint.good(format!("PASS: {events} a behaviour of the specification")));
            print_line!("  {}", compatible(summary));
        }
        Verdict::Refused(refusal, summary) => {
            print_refusal(refusal, summary);
            if refusal.hidden_cut {
                let most = limits.hidden;
                print_line!(
                    "\n  at most {most} hidden actions between two lines were looked at: see --max-hidden"
                );
            }
            print_line!(
                "\n{}",
                paint.bad(format!(
                    "FAIL: not a behaviour of the specification, from line {} on",
                    refusal.line
                ))
            );
        }
        Verdict::Unknown(refusal, summary, line) => {
            print_refusal(refusal, summary);
            let reason = format!(
                "UNKNOWN: at line {line} there were more than {} candidates, and some were left out: see --max-candidates",
                limits.candidates
            );
            print_line!("\n{}", paint.warn(&reason));
        }
    }
}

fn compatible(summary: &Summary) -> String {
    format!(
        "{} compatible with it at its end, {} at most on the way; {} made",
        counted(summary.candidates, "state is", "states are"),
        grouped(summary.candidates_most as u64),
        counted(summary.states_made as usize, "state was", "states were")
    )
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u64), if count == 1 { one } else { many })
}

fn print_refusal(refusal: &Refusal, summary: &Summary) {
    let paint = paint();
    print_line!("{}", paint.strong(format!("line {} is not explained: {}", refusal.line, refusal.recorded)));
    match &refusal.explained {
        Some((line, text)) => {
            print_line!(
                "  explained up to line {line} ({text}), {}",
                counted(summary.events as usize, "event", "events")
            );
        }
        None => print_line!("  nothing before it is explained"),
    }
    let hidden = refusal.with_hidden - refusal.candidates.min(refusal.with_hidden);
    let more = if hidden > 0 {
        format!(", and {} by hidden actions", grouped(hidden as u64))
    } else {
        String::new()
    };
    print_line!(
        "  {} compatible with what came before{more}",
        counted(refusal.candidates, "state is", "states are")
    );
    print_line!("\n  what is in the way");
    for obstacle in refusal.obstacles.iter().take(OBSTACLES_SHOWN) {
        let times = if refusal.with_hidden > 1 {
            paint.faint(format!("  (in {} of them)", obstacle.candidates))
        } else {
            paint.plain("")
        };
        print_line!("    {}{times}", paint.strong(&obstacle.action));
        match &obstacle.why {
            Why::Differs(differences) => {
                print_line!("      is enabled, but leads to a state where");
                for difference in differences {
                    print_line!("        {difference}");
                }
            }
            other => print_line!("      {other}"),
        }
    }
    if refusal.obstacles.len() > OBSTACLES_SHOWN {
        print_line!("    … and {} more (--json has them all)", refusal.obstacles.len() - OBSTACLES_SHOWN);
    }
    for (number, state) in (1..).zip(refusal.states.iter().take(STATES_SHOWN)) {
        print_line!("\n  {}", paint.faint(format!("candidate state {number} of {}", refusal.with_hidden)));
        for line in state.text.lines() {
            print_line!("    {line}");
        }
    }
}

fn as_json(verdict: &Verdict) -> Json {
    let (word, summary, refusal, cut_at) = match verdict {
        Verdict::Explained(summary) => ("explained", summary, None, None),
        Verdict::Refused(refusal, summary) => ("refused", summary, Some(refusal), None),
        Verdict::Unknown(refusal, summary, line) => ("unknown", summary, Some(refusal), Some(line)),
    };
    json!({
        "verdict": word,
        "events": summary.events,
        "candidates": summary.candidates,
        "candidates_most": summary.candidates_most,
        "states_made": summary.states_made,
        "candidates_left_out_at_line": cut_at,
        "refusal": refusal.map(|refusal| refusal.to_json()),
    })
}
