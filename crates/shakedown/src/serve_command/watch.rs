//! Looking at the stores in a folder: what is new in them goes to the board.
//!
//! A store is read again when its files have changed. Reading is one short transaction in write-ahead mode,
//! which no campaign ever waits for; a running campaign stores itself a few times a second. That a campaign
//! runs is known by the lock that its process holds, whatever ends the process.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shakedown_campaign::{AnyTarget, Cause, Coverage, Failure, Plan, Standing};
use shakedown_report::html::live::{
    CAMPAIGNS_MAX, LiveCampaign, LiveFinding, LiveFleet, LiveGuide, LivePage, LiveReplay, LiveState, Moment,
    Since,
};
use shakedown_report::html::{CoverageCurve, CoveragePlot, CoveragePoint, ReportVerdict};
use shakedown_report::of_version;
use shakedown_store::{Overview, Store, StoreError, failures_in, is_worked_on, last_change};

use super::board::{Board, Browsable};
use super::fleet::FleetWatch;
use super::history::{Found, Record, history};
use crate::list_campaigns::{LIST_DEPTH, case_of, date, look_for_stores};

/// How often stores are looked at, how often new ones are looked for, and how often a page with something
/// running is made anew.
const LOOK_EVERY: Duration = Duration::from_millis(250);
const SEARCH_EVERY: Duration = Duration::from_secs(2);
const SHOW_EVERY: Duration = Duration::from_secs(1);
/// Searching may take at most this share of the time: one part in 20.
const SEARCH_SHARE: u32 = 20;
/// The most stores that are watched.
const STORES_MAX: usize = 200;
/// A file that was changed less than this ago may have been changed again without a trace in its date.
const SETTLED: Duration = Duration::from_secs(2);
/// The time that the speed of late is taken over, and how many of its values are kept.
const RATE_TIME: Duration = Duration::from_secs(10);
const RATES_MAX: usize = 60;

/// Looks at the stores in a folder.
pub(super) struct Watch<'a> {
    folder: &'a Path,
    targets: &'a [Box<dyn AnyTarget>],
    stores: BTreeMap<PathBuf, Watched>,
    /// How many stores were ever seen: each has a number of its own.
    numbers: usize,
    left_out: usize,
    searched: Option<(Instant, Duration)>,
    looked: Option<Instant>,
    shown: Option<Instant>,
    replays: u64,
    /// The fleet that is looked at, and what was shown of it last.
    fleet: Option<(FleetWatch, LiveFleet)>,
}

/// A store.
struct Watched {
    number: usize,
    change: Option<(SystemTime, u64)>,
    is_worked_on: bool,
    contents: Result<Vec<Watching>, String>,
}

/// A campaign, and what was seen of it since it is watched.
struct Watching {
    overview: Overview,
    findings: Arc<[Failure]>,
    /// When the file of each finding was written.
    found: Vec<Option<SystemTime>>,
    /// How far it had come at which moment.
    samples: VecDeque<(Instant, u64)>,
    rates: VecDeque<f64>,
    /// When the last new item of each guide was seen; nothing if it was there before.
    new: Vec<Option<SystemTime>>,
    /// Whether its executions can be looked at, or why not.
    can_rerun: Result<(), String>,
}

impl<'a> Watch<'a> {
    pub fn new(folder: &'a Path, targets: &'a [Box<dyn AnyTarget>], fleet: Option<FleetWatch>) -> Watch<'a> {
        let stores = BTreeMap::new();
        let (searched, looked, shown) = (None, None, None);
        let fleet = fleet.map(|fleet| (fleet, LiveFleet::default()));
        Watch { folder, targets, stores, numbers: 0, left_out: 0, searched, looked, shown, replays: 0, fleet }
    }

    /// Looks, if it is time.
    pub fn look_if_due(&mut self, board: &Board) {
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
            self.look(board);
        }
    }

    /// Looks at every store, and shows what has changed.
    pub fn look(&mut self, board: &Board) {
        self.looked = Some(Instant::now());
        let pause = |took: Duration| SEARCH_EVERY.max(took.saturating_mul(SEARCH_SHARE));
        let mut is_changed = false;
        if self.searched.is_none_or(|(searched, took)| searched.elapsed() >= pause(took)) {
            is_changed |= self.search();
        }
        let mut is_running = false;
        for (folder, store) in &mut self.stores {
            is_changed |= store.look(folder, self.targets);
            is_running |= store.is_worked_on;
        }
        if let Some((fleet, seen)) = &mut self.fleet {
            let now = fleet.now();
            is_changed |= now != *seen;
            *seen = now;
        }
        let (replays_version, replays) = board.replays();
        is_changed |= replays_version != self.replays;
        let is_due = self.shown.is_none_or(|shown| shown.elapsed() >= SHOW_EVERY);
        if is_changed || is_due && is_running || self.shown.is_none() {
            if is_due {
                self.stores.values_mut().for_each(Watched::note_rates);
                self.shown = Some(Instant::now());
            }
            self.replays = replays_version;
            let (page, campaigns) = self.page(&replays);
            board.show(page, campaigns);
        }
    }

    /// Looks for stores. Whether there are others than before.
    fn search(&mut self) -> bool {
        let began = Instant::now();
        let mut found = Vec::new();
        look_for_stores(self.folder, LIST_DEPTH, &mut found);
        // A link may lead out of the folder.
        found.retain(|folder| last_change(folder).is_some());
        self.left_out = found.len().saturating_sub(STORES_MAX);
        found.truncate(STORES_MAX);
        let count = self.stores.len();
        self.stores.retain(|folder, _| found.contains(folder));
        let mut is_changed = self.stores.len() != count;
        for folder in found {
            self.stores.entry(folder).or_insert_with(|| {
                is_changed = true;
                self.numbers += 1;
                Watched { number: self.numbers, change: None, is_worked_on: false, contents: Ok(Vec::new()) }
            });
        }
        self.searched = Some((Instant::now(), began.elapsed()));
        is_changed
    }

    fn page(&self, replays: &BTreeMap<String, LiveReplay>) -> (LivePage, BTreeMap<String, Browsable>) {
        let (mut shown, mut records) = (Vec::new(), Vec::new());
        let (mut errors, mut browsable) = (Vec::new(), BTreeMap::new());
        for (folder, store) in &self.stores {
            let campaigns = match &store.contents {
                Ok(campaigns) => campaigns,
                Err(error) => {
                    errors.push(error.clone());
                    continue;
                }
            };
            let stored = store.change.map(|(changed, _)| changed);
            for (place, watching) in (1..).zip(campaigns) {
                let id = format!("c{}-{place}", store.number);
                let case = case_of(self.targets, &watching.overview.plan);
                let mut campaign = watching.campaign(&id, &case, store.is_worked_on, stored, replays);
                campaign.folder = self.name_of(folder, campaigns.len(), place);
                records.push(watching.record(&id, &case, stored));
                let (findings, browse) = (Arc::clone(&watching.findings), campaign.browse.clone());
                browsable.insert(id, Browsable { folder: folder.clone(), place, findings, browse });
                shown.push((stored, campaign));
            }
        }
        // Those that run, then the others, the latest first. A running one changes all the time, and must not
        // change places.
        shown.sort_by_key(|(stored, campaign)| {
            let is_running = campaign.state.is_running();
            (!is_running, std::cmp::Reverse(stored.filter(|_| !is_running)))
        });
        let left_out = self.left_out + shown.len().saturating_sub(CAMPAIGNS_MAX);
        let campaigns = shown.into_iter().take(CAMPAIGNS_MAX).map(|(_, campaign)| campaign).collect();
        let (days, failures) = history(&records, replays);
        let folder = fs::canonicalize(self.folder).unwrap_or_else(|_| self.folder.to_owned());
        let folder = folder.to_string_lossy().into_owned();
        let fleet = self.fleet.as_ref().map(|(_, seen)| seen.clone());
        (LivePage { folder, campaigns, left_out, days, failures, errors, fleet }, browsable)
    }

    /// The folder of a campaign, below the one that is looked at.
    fn name_of(&self, folder: &Path, campaigns: usize, place: usize) -> String {
        let below = folder.strip_prefix(self.folder).unwrap_or(folder);
        let name = match below.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => below.to_string_lossy().into_owned(),
        };
        if campaigns > 1 { format!("{name}, campaign {place} of {campaigns}") } else { name }
    }
}

impl Watched {
    /// Looks at the store. Whether something has changed.
    fn look(&mut self, folder: &Path, targets: &[Box<dyn AnyTarget>]) -> bool {
        let was_worked_on = std::mem::replace(&mut self.is_worked_on, is_worked_on(folder));
        let is_other = was_worked_on != self.is_worked_on;
        let change = last_change(folder);
        let is_settled = change.is_some_and(|(changed, _)| changed.elapsed().is_ok_and(|age| age > SETTLED));
        if change == self.change && is_settled {
            return is_other;
        }
        self.change = change;
        let mut known = match &mut self.contents {
            Ok(known) => std::mem::take(known),
            Err(_) => Vec::new(),
        };
        known.reverse();
        self.contents = match Store::look_at(folder).and_then(|store| store.joined_overviews()) {
            Ok(overviews) => {
                let take = |overview| Watching::after(known.pop(), overview, folder, targets, change);
                Ok(overviews.into_iter().map(take).collect())
            }
            // Its process is about to begin, or was killed before it had.
            Err(StoreError::NotBegun { .. } | StoreError::Nothing { .. }) => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        };
        true
    }

    fn note_rates(&mut self) {
        let is_worked_on = self.is_worked_on;
        for watching in self.contents.iter_mut().flatten() {
            match watching.rate().filter(|_| is_worked_on && !watching.overview.is_over) {
                Some(rate) => {
                    if watching.rates.len() == RATES_MAX {
                        watching.rates.pop_front();
                    }
                    watching.rates.push_back(rate);
                }
                None => watching.rates.clear(),
            }
        }
    }
}

impl Watching {
    /// The campaign as it is stored now, given what was known of it.
    fn after(
        known: Option<Watching>,
        overview: Overview,
        folder: &Path,
        targets: &[Box<dyn AnyTarget>],
        change: Option<(SystemTime, u64)>,
    ) -> Watching {
        let standing = overview.standing.as_ref();
        let findings: Arc<[Failure]> = standing
            .iter()
            .flat_map(|standing| &standing.findings)
            .map(|finding| finding.failure.clone())
            .collect();
        let written = |failure: &Failure| {
            let file = fs::symlink_metadata(failures_in(folder).join(failure.file_name())).ok()?;
            file.is_file().then(|| file.modified().ok())?
        };
        let found = findings.iter().map(written).collect();
        let changed = change.map(|(changed, _)| changed);
        let (mut samples, rates, mut new, can_rerun) = match known {
            Some(known) if known.overview.plan == overview.plan => {
                let new = match (&known.overview.standing, standing) {
                    (Some(before), Some(now)) => news(before, now, &known.new, changed),
                    _ => Vec::new(),
                };
                (known.samples, known.rates, new, known.can_rerun)
            }
            _ => (VecDeque::new(), VecDeque::new(), Vec::new(), can_rerun(targets, &overview.plan)),
        };
        new.resize(overview.covered.len(), None);
        let executions = standing.map_or(0, |standing| standing.executions);
        if samples.back().is_none_or(|(_, last)| *last != executions) {
            samples.push_back((Instant::now(), executions));
        }
        // One from before the time is kept, so that the speed is over the whole of it.
        while samples.len() > 2 && samples[1].0.elapsed() > RATE_TIME {
            samples.pop_front();
        }
        Watching { overview, findings, found, samples, rates, new, can_rerun }
    }

    /// How many executions a second there were of late.
    fn rate(&self) -> Option<f64> {
        let (&(first, from), &(_, to)) = (self.samples.front()?, self.samples.back()?);
        let seconds = first.elapsed().as_secs_f64();
        (to > from && seconds >= 0.5).then(|| (to - from) as f64 / seconds)
    }

    fn campaign(
        &self,
        id: &str,
        case: &str,
        is_worked_on: bool,
        stored: Option<SystemTime>,
        replays: &BTreeMap<String, LiveReplay>,
    ) -> LiveCampaign {
        let Overview { plan, standing, is_over, .. } = &self.overview;
        let nothing = Standing::default();
        let state = match (standing, is_over, is_worked_on) {
            (None, _, true) => LiveState::Starting,
            (None, _, false) => LiveState::NotBegun,
            (Some(_), true, _) => LiveState::Over,
            (Some(_), false, true) => LiveState::Running,
            (Some(_), false, false) => LiveState::Stopped,
        };
        let standing = standing.as_ref().unwrap_or(&nothing);
        let seconds = standing.elapsed.as_secs_f64();
        let mean_rate = (seconds > 0.0).then(|| standing.executions as f64 / seconds);
        let is_running = state == LiveState::Running;
        let guides = standing.coverage.iter().zip(&self.overview.covered).zip(&self.new);
        let guides = guides.map(|((coverage, &covered), new)| LiveGuide {
            name: coverage.guide.clone(),
            covered,
            last_new: coverage.last_new,
            since: match new {
                _ if !is_running => None,
                Some(moment) => Some(Since::Seen(moment_of(*moment))),
                None => stored.zip(mean_rate).map(|(stored, rate)| {
                    let executions = standing.executions.saturating_sub(coverage.last_new) as f64;
                    Since::About(moment_of(stored).saturating_sub((1_000.0 * executions / rate) as u64))
                }),
            },
        });
        let about = [
            plan.strategy.to_string(),
            format!("seed {}", plan.seed),
            format!("{} nodes", plan.config.nodes),
        ];
        let about = about.into_iter().chain((!case.is_empty()).then(|| case.to_owned()));
        LiveCampaign {
            id: id.to_owned(),
            title: of_version(&plan.target, &plan.target_version),
            about: about.collect::<Vec<_>>().join(", "),
            folder: String::new(),
            state,
            verdict: ReportVerdict::of(&standing.verdict(plan.executions)),
            executions: standing.executions,
            planned: plan.executions,
            failed: standing.failed,
            rate: self.rates.back().copied().filter(|_| is_running),
            rates: self.rates.iter().copied().collect(),
            mean_rate,
            seconds,
            stored: stored.map(moment_of),
            guides: guides.collect(),
            plots: self.plots(standing),
            findings: self.live_findings(standing, replays),
            browse: self.browse(standing),
        }
    }

    fn plots(&self, standing: &Standing) -> Vec<CoveragePlot> {
        let plot = |(coverage, &covered): (&Coverage, &u64)| {
            let point = |executions, covered: u64| {
                let covered = covered as f64;
                CoveragePoint { executions, mean: covered, low: covered, high: covered }
            };
            let mut points: Vec<_> =
                coverage.curve.iter().map(|known| point(known.executions, known.covered)).collect();
            if points.last().is_none_or(|last| last.executions < standing.executions) {
                points.push(point(standing.executions, covered));
            }
            let label = self.overview.plan.strategy.to_string();
            let (measure, band) = (coverage.guide.clone(), String::new());
            CoveragePlot { measure, band, curves: vec![CoverageCurve { label, points }] }
        };
        standing.coverage.iter().zip(&self.overview.covered).map(plot).collect()
    }

    fn live_findings(&self, standing: &Standing, replays: &BTreeMap<String, LiveReplay>) -> Vec<LiveFinding> {
        let all = standing.findings.iter().zip(&self.found);
        let live =
            |(number, (finding, found)): (usize, (&shakedown_campaign::Finding, &Option<SystemTime>))| {
                let failure = &finding.failure;
                LiveFinding {
                    number,
                    property: failure.violation.property.clone(),
                    reason: failure.violation.reason.clone(),
                    steps: failure.schedule.steps.len(),
                    is_shrunk: failure.found.shrunk,
                    hits: finding.hits,
                    execution: failure.found.execution,
                    found: found.map(moment_of),
                    replay: replays.get(&failure.file_name()).cloned(),
                }
            };
        (1..).zip(all).map(live).collect()
    }

    /// The executions that can be looked at: those of the plan, for each of them can be run before its turn;
    /// after its end, those that the campaign has run.
    fn browse(&self, standing: &Standing) -> Result<(u64, u64), String> {
        self.can_rerun.clone()?;
        let Plan { first, executions, .. } = self.overview.plan;
        let count = if self.overview.is_over { standing.executions } else { executions };
        match count.checked_sub(1) {
            Some(last) => Ok((first, first.saturating_add(last))),
            None => Err("No execution was run.".to_owned()),
        }
    }

    fn record(&self, id: &str, case: &str, stored: Option<SystemTime>) -> Record {
        let Overview { plan, standing, is_over, .. } = &self.overview;
        let day_of = |moment: SystemTime| date(moment)[..10].to_owned();
        let day = stored.map(day_of).unwrap_or_default();
        let found = (1..).zip(self.findings.iter().zip(&self.found)).map(|(number, (failure, found))| {
            let cause = Cause::of(&failure.violation);
            Found {
                number,
                property: failure.violation.property.clone(),
                cause: if cause.is_exact { cause.label() } else { cause.property },
                day: found.map_or_else(|| day.clone(), day_of),
                file: failure.file_name(),
            }
        });
        let found = found.collect();
        let case = if case.is_empty() { plan.target.clone() } else { format!("{} with {case}", plan.target) };
        let executions = standing.as_ref().map_or(0, |standing| standing.executions);
        Record { id: id.to_owned(), case, day, is_over: *is_over, executions, found }
    }
}

/// When each guide saw something new last, as far as that was watched.
fn news(
    before: &Standing,
    now: &Standing,
    known: &[Option<SystemTime>],
    changed: Option<SystemTime>,
) -> Vec<Option<SystemTime>> {
    let pairs = before.coverage.iter().zip(&now.coverage).zip(known);
    pairs
        .map(|((before, now), known)| if now.last_new > before.last_new { changed } else { *known })
        .collect()
}

/// Whether the executions of a campaign can be looked at, or why not.
fn can_rerun(targets: &[Box<dyn AnyTarget>], plan: &Plan) -> Result<(), String> {
    let Some(target) = targets.iter().find(|target| target.name() == plan.target) else {
        return Err(format!("Nothing of it can be replayed: this program has no target {}.", plan.target));
    };
    let cannot = |reason: String| format!("Only what was found can be shown: {reason}.");
    let campaign = plan.campaign(target.as_ref()).map_err(|error| cannot(error.to_string()))?;
    campaign.can_rerun().map_err(|error| cannot(error.to_string()))
}

/// Milliseconds since 1970.
fn moment_of(moment: SystemTime) -> Moment {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
