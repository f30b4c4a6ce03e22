//! The coordinator: gives batches of executions and other pieces of work out, and hands what comes of them to
//! the campaign in order.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use shakedown_campaign::{
    Fleet, FleetError, Job, Order, PackedLesson, Pieces, Report, TakePiece, TakeReport,
};

use crate::batches::{Batches, Division, Pace};
use crate::flow::{Base, Ears, Flow, Wanted};
use crate::identity::{build_id, campaign_id};
use crate::link::Link;
use crate::reports::{decode_reports, encode_lessons};
use crate::wire::{LessonsMessage, PlanMessage, SnapshotMessage, decode_pieces, encode_pieces};
use crate::{FleetOptions, FleetTrouble, subjects};

/// A snapshot is kept when the lessons since the last one have this many times its size: whoever joins reads
/// no more than that.
const SNAPSHOT_FACTOR: u64 = 2;
/// Nor is one kept before the lessons have this many bytes.
const SNAPSHOT_MIN: u64 = 64 << 10;

/// Runs campaigns by workers on other machines. See the crate's text.
pub struct Coordinator {
    base: Base,
    name: String,
    step_time: Duration,
    now: Mutex<Option<UnderWay>>,
    side: Mutex<Option<Side>>,
}

/// A campaign under way.
struct UnderWay {
    flow: Flow<Report>,
    ears: Ears,
    snapshot: Snapshot,
}

/// Where what came of other pieces of work arrives.
struct Side {
    ears: Ears,
    /// How many works there were.
    works: u64,
    /// How long the pieces of each bench took.
    paces: Vec<(&'static str, Pace)>,
}

/// The last snapshot.
#[derive(Default)]
struct Snapshot {
    bytes: u64,
    /// The bytes of lessons since.
    since: u64,
    /// Its object, if it is too large for a message, and that of the one before.
    objects: Vec<String>,
}

impl Coordinator {
    /// A coordinator at this server. No call of a node may take longer than `step_time`. What a user should
    /// know is given to `notice`.
    pub fn new(
        options: &FleetOptions,
        step_time: Duration,
        notice: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Arc<Coordinator>, FleetTrouble> {
        let build = build_id()?;
        let base = Base::new(Link::connect(options, "shakedown coordinator")?, build, notice)?;
        let name = crate::worker::process_name();
        Ok(Arc::new(Coordinator { base, name, step_time, now: Mutex::new(None), side: Mutex::new(None) }))
    }

    fn begin(&self, job: &Job, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetTrouble> {
        let Base { link, build, .. } = &self.base;
        let text = serde_json::to_vec(job).expect("a plan is plain data");
        let campaign = campaign_id(build, &text);
        // Batches of an earlier life wait for nothing: what of them is still wanted is given out again.
        link.purge(&link.work, &subjects::work(build, &campaign))?;
        let mut snapshot = Snapshot::default();
        let has_learned = learned.as_ref().map(|_| start);
        if let Some(learned) = learned {
            self.keep_snapshot(&campaign, start, learned, &mut snapshot)?;
        }
        let epoch = epoch();
        self.keep_plan(&campaign, epoch, None, text)?;
        let ears = Ears::open(link, &campaign)?;
        let division = if has_learned.is_some() { Division::ByWorkers } else { Division::ByTime };
        let batches = Batches::new(start, division, Pace::default());
        let mut flow = Flow::new(campaign, epoch, batches, decode_reports);
        flow.learned = has_learned;
        *lock(&self.now) = Some(UnderWay { flow, ears, snapshot });
        Ok(())
    }

    fn keep_plan(
        &self,
        campaign: &str,
        epoch: u64,
        bench: Option<String>,
        plan: Vec<u8>,
    ) -> Result<(), FleetTrouble> {
        let message = PlanMessage {
            epoch,
            coordinator: self.name.clone(),
            step_time_ms: u64::try_from(self.step_time.as_millis()).unwrap_or(u64::MAX),
            bench,
            plan: self.base.link.blob(&format!("{campaign}-plan"), plan)?,
        };
        self.base.link.keep("keep the plan", &subjects::plan(campaign), &message)
    }

    fn keep_snapshot(
        &self,
        campaign: &str,
        before: u64,
        learned: Vec<u8>,
        last: &mut Snapshot,
    ) -> Result<(), FleetTrouble> {
        let link = &self.base.link;
        let name = format!("{campaign}-{before}");
        (last.bytes, last.since) = (learned.len() as u64, 0);
        let learned = link.blob(&name, learned)?;
        let message = SnapshotMessage { before, learned };
        link.keep("keep a snapshot", &subjects::snapshot(campaign), &message)?;
        last.objects.push(name);
        // Whoever has just read the message before this one still finds its object.
        if last.objects.len() > 2 {
            link.forget(&last.objects.remove(0));
        }
        Ok(())
    }

    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetTrouble> {
        let mut now = lock(&self.now);
        let UnderWay { flow, ears, .. } = now.as_mut().expect("a campaign begins before it runs");
        let Order { numbers, horizon, is_late } = order;
        let wanted = Wanted { end: numbers.end, horizon: *horizon, is_late, say: None };
        self.base.run(flow, ears, &wanted, take)
    }

    fn teach(
        &self,
        generation: Range<u64>,
        lessons: Vec<PackedLesson>,
        learned: &dyn Fn() -> Vec<u8>,
    ) -> Result<(), FleetTrouble> {
        let mut now = lock(&self.now);
        let UnderWay { flow, snapshot, .. } = now.as_mut().expect("a campaign begins before it learns");
        let link = &self.base.link;
        let lessons = encode_lessons(lessons);
        snapshot.since += lessons.len() as u64;
        let (first, end) = (generation.start, generation.end);
        let name = format!("{}-lessons-{first}", flow.campaign);
        let message = LessonsMessage { first, end, lessons: link.blob(&name, lessons)? };
        link.keep("keep lessons", &subjects::lessons(&flow.campaign, first), &message)?;
        flow.learned = Some(end);
        if snapshot.since > SNAPSHOT_MIN.max(SNAPSHOT_FACTOR * snapshot.bytes) {
            self.keep_snapshot(&flow.campaign, end, learned(), snapshot)?;
            // Whoever is behind takes the snapshot up.
            link.purge(&link.state, &subjects::all_lessons(&flow.campaign))?;
        }
        Ok(())
    }

    fn end(&self) {
        let Base { link, build, .. } = &self.base;
        if let Some(Side { ears, .. }) = lock(&self.side).take() {
            ears.close(link);
        }
        let Some(UnderWay { flow, ears, snapshot }) = lock(&self.now).take() else { return };
        // What cannot be deleted now goes by its age.
        let _ = link.purge(&link.work, &subjects::work(build, &flow.campaign));
        let _ = link.purge(&link.state, &subjects::all_state(&flow.campaign));
        ears.close(link);
        snapshot.objects.iter().for_each(|object| link.forget(object));
        self.base.report_poisoned();
    }

    fn spread(&self, pieces: &Pieces<'_>, take: &mut TakePiece<'_>) -> Result<(), FleetTrouble> {
        let Base { link, build, .. } = &self.base;
        let Range { start, end } = pieces.numbers;
        let mut side = lock(&self.side);
        let epoch = epoch();
        if side.is_none() {
            let ears = Ears::open(link, &format!("{epoch:016x}"))?;
            *side = Some(Side { ears, works: 0, paces: Vec::new() });
        }
        let Side { ears, works, paces } = side.as_mut().expect("it was opened");
        *works += 1;
        // Pieces of one name are those of one work: no other process and no other work has it.
        let campaign = campaign_id(build, format!("{}/{epoch:x}/{works}", self.name).as_bytes());
        let known = paces.iter().position(|(bench, _)| *bench == pieces.bench);
        let pace = known.map_or(Pace::default(), |place| paces[place].1);
        let division = if pieces.is_long { Division::One } else { Division::ByTime };
        let batches = Batches::new(start, division, pace);
        let mut flow = Flow::new(campaign.clone(), epoch, batches, decode_pieces);
        self.keep_plan(&campaign, epoch, Some(pieces.bench.to_owned()), pieces.common.clone())?;
        let say = |range: Range<u64>| encode_pieces(range.map(|number| (pieces.piece)(number)));
        let wanted = Wanted { end, horizon: end, is_late: pieces.is_late, say: Some(&say) };
        let result = self.base.run(&mut flow, ears, &wanted, take);
        match known {
            Some(place) => paces[place].1 = flow.batches.pace(),
            None => paces.push((pieces.bench, flow.batches.pace())),
        }
        let _ = link.purge(&link.work, &subjects::work(build, &campaign));
        let _ = link.purge(&link.state, &subjects::all_state(&campaign));
        flow.objects.iter().for_each(|object| link.forget(object));
        result
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.end();
    }
}

impl Fleet for Coordinator {
    fn begin(&self, job: &Job, start: u64, learned: Option<Vec<u8>>) -> Result<(), FleetError> {
        Ok(Coordinator::begin(self, job, start, learned)?)
    }

    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetError> {
        Ok(Coordinator::run(self, order, take)?)
    }

    fn teach(
        &self,
        generation: Range<u64>,
        lessons: Vec<PackedLesson>,
        learned: &dyn Fn() -> Vec<u8>,
    ) -> Result<(), FleetError> {
        Ok(Coordinator::teach(self, generation, lessons, learned)?)
    }

    fn end(&self) {
        Coordinator::end(self);
    }

    fn spread(&self, pieces: &Pieces<'_>, take: &mut TakePiece<'_>) -> Result<(), FleetError> {
        Ok(Coordinator::spread(self, pieces, take)?)
    }
}

/// Locks, whatever became of whoever locked before.
fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number that no earlier life of a coordinator had. It decides nothing but who has taken over.
fn epoch() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(40)
}
