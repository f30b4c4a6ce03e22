//! The coordinator: gives batches of executions and other pieces of work out, and hands what comes of them to
//! the campaign in order.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use shakedown_campaign::{
    Fleet, FleetError, Job, Order, PackedLesson, Pieces, Report, TakePiece, TakeReport,
};

use crate::announcement::{Announcement, object_of};
use crate::batches::{Batches, Division, Pace};
use crate::flow::{Base, Ears, Flow, Wanted};
use crate::identity::{build_id, campaign_id};
use crate::link::{Link, NO_PATIENCE, PATIENCE};
use crate::reports::{decode_reports, encode_lessons};
use crate::wire::{LessonsMessage, SnapshotMessage, decode_pieces, encode_pieces};
use crate::{FleetOptions, FleetTrouble, subjects};

/// A snapshot is kept when the lessons since the last one have this many times its size: whoever joins reads
/// no more than that.
const SNAPSHOT_FACTOR: u64 = 2;
/// Nor is one kept before the lessons have this many bytes.
const SNAPSHOT_MIN: u64 = 64 << 10;
/// It is kept when they have this many, however large it is: the stream that keeps lessons has an end.
const SNAPSHOT_MAX: u64 = 128 << 20;

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
struct Snapshot {
    bytes: u64,
    kept: Instant,
    /// How many there were.
    count: u64,
    /// Its object, if it is too large for a message, and that of the one before.
    objects: Vec<String>,
    /// The bytes of lessons since.
    since: u64,
    /// The objects of those that are too large for a message.
    lessons: Vec<String>,
}

impl Snapshot {
    fn none() -> Snapshot {
        let (objects, lessons) = (Vec::new(), Vec::new());
        Snapshot { bytes: 0, kept: Instant::now(), count: 0, objects, since: 0, lessons }
    }

    /// Whether the next one is to be kept, so that whoever joins has no more to read than twice as much.
    fn is_due(&self) -> bool {
        self.since > SNAPSHOT_MIN.max(SNAPSHOT_FACTOR * self.bytes).min(SNAPSHOT_MAX)
    }
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
        link.purge(&link.work, &subjects::work(build, &campaign), PATIENCE)?;
        let plan = self.announce(campaign, epoch(), None, text)?;
        link.forget_those(|name| plan.has_object(name) == [false, true]);
        let mut snapshot = Snapshot::none();
        let has_learned = learned.as_ref().map(|_| start);
        if let Some(learned) = learned {
            self.keep_snapshot(&plan, start, learned, &mut snapshot)?;
        }
        let ears = Ears::open(link, &plan.campaign)?;
        let division = if has_learned.is_some() { Division::ByWorkers } else { Division::ByTime };
        let batches = Batches::new(start, division, Pace::default());
        let mut flow = Flow::new(plan, batches, decode_reports);
        flow.learned = has_learned;
        *lock(&self.now) = Some(UnderWay { flow, ears, snapshot });
        Ok(())
    }

    /// Keeps a plan on the server.
    fn announce(
        &self,
        campaign: String,
        epoch: u64,
        bench: Option<String>,
        plan: Vec<u8>,
    ) -> Result<Announcement, FleetTrouble> {
        let step_time_ms = u64::try_from(self.step_time.as_millis()).unwrap_or(u64::MAX);
        let (coordinator, kept) = (self.name.clone(), Instant::now());
        let mut plan =
            Announcement { campaign, epoch, coordinator, step_time_ms, bench, plan, kept, object: None };
        plan.keep(&self.base.link)?;
        Ok(plan)
    }

    fn keep_snapshot(
        &self,
        plan: &Announcement,
        before: u64,
        learned: Vec<u8>,
        last: &mut Snapshot,
    ) -> Result<(), FleetTrouble> {
        let link = &self.base.link;
        // Whoever has just read the last message still finds its object. The store need not hold three.
        while last.objects.len() > 1 {
            link.forget(&last.objects.remove(0));
        }
        last.count += 1;
        let name = plan.object(&format!("snapshot-{}", last.count));
        last.bytes = learned.len() as u64;
        let learned = link.blob(&name, learned)?;
        last.objects.extend(object_of(&learned).map(str::to_owned));
        let message = SnapshotMessage { before, learned };
        link.keep("keep a snapshot", &subjects::snapshot(&plan.campaign), &message)?;
        last.kept = Instant::now();
        Ok(())
    }

    fn run(&self, order: &Order<'_>, take: &mut TakeReport<'_>) -> Result<(), FleetTrouble> {
        let mut now = lock(&self.now);
        let UnderWay { flow, ears, snapshot } = now.as_mut().expect("a campaign begins before it runs");
        let Order { numbers, horizon, is_late, learned } = order;
        let wanted = Wanted { end: numbers.end, horizon: *horizon, is_late, say: None };
        let before = flow.learned;
        let mut renew = |plan: &Announcement| match before {
            Some(before) if snapshot.kept.elapsed() > self.base.link.renewal() => {
                self.keep_snapshot(plan, before, learned(), snapshot)
            }
            _ => Ok(()),
        };
        self.base.run(flow, ears, &wanted, take, &mut renew)
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
        let lessons = link.blob(&flow.plan.object(&format!("lessons-{first}")), lessons)?;
        snapshot.lessons.extend(object_of(&lessons).map(str::to_owned));
        let message = LessonsMessage { first, end, lessons };
        link.keep("keep lessons", &subjects::lessons(&flow.plan.campaign, first), &message)?;
        flow.learned = Some(end);
        if snapshot.is_due() || snapshot.kept.elapsed() > link.renewal() {
            self.keep_snapshot(&flow.plan, end, learned(), snapshot)?;
            // Whoever is behind takes the snapshot up.
            link.purge(&link.state, &subjects::all_lessons(&flow.plan.campaign), PATIENCE)?;
            snapshot.since = 0;
            snapshot.lessons.drain(..).for_each(|object| link.forget(&object));
        }
        Ok(())
    }

    fn end(&self) {
        let Base { link, build, .. } = &self.base;
        if let Some(Side { ears, .. }) = lock(&self.side).take() {
            ears.close(link);
        }
        let Some(UnderWay { flow, ears, .. }) = lock(&self.now).take() else { return };
        ears.stop();
        // What cannot be deleted now goes by its age.
        if let Ok(true) = flow.plan.clear(link) {
            let _ = link.purge(&link.work, &subjects::work(build, &flow.plan.campaign), NO_PATIENCE);
            ears.close(link);
            link.forget_those(|name| flow.plan.has_object(name)[0]);
        }
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
        let plan = self.announce(campaign, epoch, Some(pieces.bench.to_owned()), pieces.common.clone())?;
        let mut flow = Flow::new(plan, batches, decode_pieces);
        let say = |range: Range<u64>| encode_pieces(range.map(|number| (pieces.piece)(number)));
        let wanted = Wanted { end, horizon: end, is_late: pieces.is_late, say: Some(&say) };
        let result = self.base.run(&mut flow, ears, &wanted, take, &mut |_| Ok(()));
        match known {
            Some(place) => paces[place].1 = flow.batches.pace(),
            None => paces.push((pieces.bench, flow.batches.pace())),
        }
        // What cannot be deleted now goes by its age.
        let campaign = &flow.plan.campaign;
        let deleted = link.purge(&link.work, &subjects::work(build, campaign), NO_PATIENCE);
        if deleted.and_then(|()| link.purge(&link.state, &subjects::all_state(campaign), NO_PATIENCE)).is_ok()
        {
            flow.objects.iter().chain(&flow.plan.object).for_each(|object| link.forget(object));
        }
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
