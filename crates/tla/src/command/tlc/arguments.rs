//! TLC's own command line.
//!
//! An option is obeyed, or has no effect here because it is about TLC's own storage, or is refused by its
//! name. Nothing is passed over in silence.

use std::collections::HashSet;
use std::path::PathBuf;

/// How a state graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DumpFormat {
    Dot,
    Text,
}

/// How a counterexample is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceFormat {
    Json,
    Tla,
}

/// What was asked for.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub spec: PathBuf,
    pub config: Option<PathBuf>,
    pub workers: usize,
    /// Simulate: how many behaviours; no end if none is given.
    pub simulate: Option<Option<u64>>,
    pub depth: Option<u64>,
    pub seed: Option<i64>,
    pub fingerprint: u32,
    pub no_deadlock: bool,
    pub diff_trace: bool,
    pub coverage: bool,
    pub tool: bool,
    pub no_warning: bool,
    pub dump: Option<(DumpFormat, PathBuf)>,
    pub dump_trace: Vec<(TraceFormat, PathBuf)>,
    /// Codes of messages that are left out.
    pub suppressed: HashSet<u32>,
}

/// Options without an argument that are accepted and need nothing.
const NO_EFFECT: &[&str] = &[
    "-modelcheck",
    "-cleanup",
    "-gzip",
    "-terse",
    "-noGenerateSpecTE",
    "-noTE",
    "-noGenerateSpecTEBin",
    "-noTEBin",
];

/// Options with an argument that are accepted and need nothing: nothing is stored.
const NO_EFFECT_WITH_ARGUMENT: &[&str] =
    &["-metadir", "-checkpoint", "-fpmem", "-fpbits", "-aril", "-maxSetSize", "-lncheck"];

/// Options that TLC has and this program has not, with what to do instead.
const REFUSED: &[(&str, &str)] = &[
    ("-continue", "the check ends with the first violation"),
    ("-recover", "give --checkpoint and --recover to `tla check`"),
    ("-dfid", "the search is breadth first and finds the same violations, by the shortest way"),
    ("-debugger", "there is no debugger"),
    ("-debug", "there is nothing to debug"),
    ("-userFile", "redirect the output"),
    ("-view", "give VIEW in the configuration"),
    ("-inv", "give INVARIANT in the configuration"),
    ("-invlevel", "give CONSTRAINT in the configuration"),
    ("-postCondition", "give POSTCONDITION in the configuration"),
    ("-messagesAsErrors", "the messages are as they are"),
    ("-generateSpecTE", "give -dumpTrace tla FILE"),
    ("-teSpecOutDir", "give -dumpTrace tla FILE"),
    ("-generate", "give -simulate"),
    ("-loadTrace", "give `shakedown validate` the trace"),
];

/// Switches of TLC that are properties of the Java program, and need nothing here: what they choose has no
/// effect on the verdict, or is always so.
const PROPERTIES: &[&str] = &[
    // Depth first instead of breadth first, for specifications of traces.
    "-Dtlc2.tool.queue.IStateQueue=StateDeque",
    "-Dtlc2.tool.impl.Tool.cdot=true",
];

/// Reads the arguments; what is wrong is a sentence.
pub(super) fn parse(words: &[String]) -> Result<Arguments, String> {
    let mut arguments = Arguments { workers: 1, ..Arguments::default() };
    let mut spec: Option<PathBuf> = None;
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        if let Some((_, instead)) = REFUSED.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            return Err(format!("option {word} of TLC is not supported: {instead}"));
        }
        if PROPERTIES.contains(&word) {
            continue;
        }
        if NO_EFFECT.iter().any(|name| name.eq_ignore_ascii_case(word)) {
            continue;
        }
        if word == "-simulate" {
            let details =
                words.next_if(|next| ["num=", "file=", "stats=", "sched="].iter().any(|d| next.contains(d)));
            arguments.simulate = Some(details.map_or(Ok(None), behaviours)?);
            continue;
        }
        let mut argument = || words.next().ok_or_else(|| format!("option {word} has no argument"));
        match word {
            _ if NO_EFFECT_WITH_ARGUMENT.contains(&word) => drop(argument()?),
            "-config" => arguments.config = Some(PathBuf::from(argument()?)),
            "-workers" => arguments.workers = workers(argument()?)?,
            "-depth" => arguments.depth = Some(number(word, argument()?)?),
            "-seed" => arguments.seed = Some(number(word, argument()?)?),
            "-fp" => {
                arguments.fingerprint = number(word, argument()?)?;
                if arguments.fingerprint > 130 {
                    return Err("the number for -fp must be between 0 and 130".to_string());
                }
            }
            "-deadlock" => arguments.no_deadlock = true,
            "-difftrace" => arguments.diff_trace = true,
            "-tool" => arguments.tool = true,
            "-nowarning" => arguments.no_warning = true,
            "-coverage" => {
                let _: u32 = number(word, argument()?)?;
                arguments.coverage = true;
            }
            "-suppressMessages" => {
                let codes = argument()?.split(',').map(|code| number(word, code.trim()));
                arguments.suppressed = codes.collect::<Result<_, _>>()?;
            }
            "-dump" => {
                let first = argument()?;
                arguments.dump = Some(match first.strip_prefix("class,") {
                    Some(_) => {
                        return Err(
                            "option -dump class,… of TLC is not supported: give -dump dot".to_string()
                        );
                    }
                    None if first == "dot" || first.starts_with("dot,") => {
                        (DumpFormat::Dot, with_extension(argument()?, "dot"))
                    }
                    None => (DumpFormat::Text, with_extension(first, "dump")),
                });
            }
            _ if word.eq_ignore_ascii_case("-dumpTrace") => {
                let format = argument()?;
                let file = PathBuf::from(argument()?);
                let format = match format.to_ascii_lowercase().as_str() {
                    "json" => TraceFormat::Json,
                    "tla" => TraceFormat::Tla,
                    _ => {
                        return Err(format!(
                            "format {format} of -dumpTrace is not supported: json and tla are"
                        ));
                    }
                };
                arguments.dump_trace.push((format, file));
            }
            _ if word.starts_with('-') => return Err(format!("unrecognized option: {word}")),
            _ if spec.is_some() => return Err(format!("more than one input file: {word} is the second")),
            _ => spec = Some(PathBuf::from(word)),
        }
    }
    let spec = spec.ok_or("missing input TLA+ module")?;
    let is_named = spec.extension().is_some_and(|extension| extension == "tla");
    arguments.spec = if is_named { spec } else { PathBuf::from(format!("{}.tla", spec.display())) };
    arguments.config = arguments.config.take().map(|config| beside(&arguments.spec, config));
    Ok(arguments)
}

/// A configuration as it is named, or beside the module; its extension may be missing.
fn beside(spec: &std::path::Path, config: PathBuf) -> PathBuf {
    let is_named = config.extension().is_some_and(|extension| extension == "cfg");
    let config = if is_named { config } else { PathBuf::from(format!("{}.cfg", config.display())) };
    let near = spec.parent().map(|folder| folder.join(&config));
    near.filter(|near| !config.exists() && near.exists()).unwrap_or(config)
}

fn with_extension(file: &str, extension: &str) -> PathBuf {
    let is_named = file.ends_with(&format!(".{extension}"));
    PathBuf::from(if is_named { file.to_string() } else { format!("{file}.{extension}") })
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("option {option} needs a number, not {text}"))
}

fn workers(text: &str) -> Result<usize, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(std::thread::available_parallelism().map_or(1, usize::from));
    }
    match number("-workers", text)? {
        0 => Err("at least one worker is required".to_string()),
        workers => Ok(workers),
    }
}

/// How many behaviours `num=N` asks for.
fn behaviours(details: &str) -> Result<Option<u64>, String> {
    let mut count = None;
    for detail in details.split(',') {
        match detail.split_once('=') {
            Some(("num", text)) => count = Some(number("-simulate num", text)?),
            _ => return Err(format!("-simulate {detail} is not supported: num=N is")),
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, String> {
        parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_obeyed_or_refused_by_name() {
        let arguments = parsed(
            "-Dtlc2.tool.queue.IStateQueue=StateDeque -tool -modelcheck -coverage 1 -workers 2 -fp 3 -seed -7 -metadir /tmp -cleanup -deadlock -difftrace \
             -dump dot,actionlabels graph -dumpTrace json t.json -suppressMessages 2200,2401 Spec",
        );
        let arguments = arguments.expect("all of them are known");
        assert_eq!(arguments.spec, PathBuf::from("Spec.tla"));
        assert_eq!((arguments.workers, arguments.fingerprint, arguments.seed), (2, 3, Some(-7)));
        assert!(arguments.tool && arguments.coverage && arguments.no_deadlock && arguments.diff_trace);
        assert_eq!(arguments.dump, Some((DumpFormat::Dot, PathBuf::from("graph.dot"))));
        assert_eq!(arguments.dump_trace, [(TraceFormat::Json, PathBuf::from("t.json"))]);
        assert!(arguments.suppressed.contains(&2401));
        for (line, part) in [
            ("-recover states Spec", "option -recover of TLC is not supported"),
            ("-bogus Spec", "unrecognized option: -bogus"),
            ("-dfid 30 Spec", "the search is breadth first"),
            ("-Dtlc2.tool.fp.FPSet.impl=None Spec", "unrecognized option: -Dtlc2.tool.fp.FPSet.impl=None"),
            ("-workers zero Spec", "needs a number, not zero"),
            ("-dumpTrace dot f Spec", "format dot of -dumpTrace"),
            ("A B", "more than one input file"),
            ("-tool", "missing input"),
            ("-simulate file=x,num=2 Spec", "-simulate file=x is not supported"),
        ] {
            let message = parsed(line).expect_err(line);
            assert!(message.contains(part), "{line}: {message}");
        }
        assert_eq!(parsed("-simulate num=5 Spec").expect("simulation").simulate, Some(Some(5)));
        assert_eq!(parsed("-simulate Spec").expect("simulation").simulate, Some(None));
    }
}
