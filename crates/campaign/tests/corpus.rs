//! Corpora: what a fuzzer went on from covers again what it covered, in few inputs as in many.

use std::collections::BTreeSet;

use shakedown_campaign::{AnyTarget, Campaign, Corpus, PlayedCorpus, Sameness, Silent, Target};
use shakedown_cluster::{Context, Node, NodeId, Recording, derive_seed};
use shakedown_toys::{Nothing, teller};

/// The corpus of a campaign of so many executions, and how much that campaign covered.
fn grown(target: &dyn AnyTarget, strategy: &str, seed: u64) -> (Corpus, u64) {
    let mut campaign = Campaign::new(target);
    campaign.plan.config.options.set("bound", 1_000);
    (campaign.plan.strategy, campaign.plan.seed, campaign.plan.executions) =
        (strategy.parse().expect("this is a strategy"), seed, 500);
    let mut explorer = campaign.explorer().expect("there is such a strategy");
    let summary = campaign.run_with(explorer.as_mut(), &Silent).expect("the campaign runs");
    (Corpus::of(&campaign, explorer.inputs()), summary.coverage[0].covered())
}

fn play(target: &dyn AnyTarget, corpus: &Corpus, jobs: usize) -> PlayedCorpus {
    let campaign = Campaign { jobs, ..corpus.campaign(target) };
    corpus.play(&campaign, &Silent).expect("it can be played")
}

fn all(played: &PlayedCorpus) -> BTreeSet<u64> {
    played.covered.iter().flatten().copied().collect()
}

#[test]
fn a_corpus_covers_again_what_its_campaign_covered_and_so_do_few_of_its_inputs() {
    let target = teller();
    let (corpus, covered) = grown(&target, "fuzz:state", 1);
    let played = play(&target, &corpus, 1);
    assert_eq!(all(&played).len() as u64, covered, "every input that led to something new is in the corpus");
    assert_eq!(played.fruitful().len(), corpus.inputs.len(), "and each of them did");
    let few = corpus.only(&played.few());
    assert!(few.inputs.len() < corpus.inputs.len(), "{} of {}", few.inputs.len(), corpus.inputs.len());
    assert_eq!(all(&play(&target, &few, 1)), all(&played));
    assert_eq!(play(&target, &few, 3).covered, play(&target, &few, 1).covered, "jobs change nothing");
}

#[test]
fn corpora_are_taken_together_if_they_are_of_the_same_thing() {
    let target = teller();
    let ((mut one, _), (two, _)) = (grown(&target, "fuzz:state", 1), grown(&target, "fuzz:state", 2));
    let both = [&one, &two].map(|corpus| all(&play(&target, corpus, 1)));
    one.take_in(&two).expect("they are of the same thing");
    one.take_in(&two).expect("and what is there is not taken in again");
    let merged = play(&target, &one, 1);
    assert_eq!(all(&merged), &both[0] | &both[1]);
    assert!(merged.fruitful().len() < one.inputs.len(), "the two have something in common");
    let error = one.take_in(&grown(&target, "fuzz:trace", 1).0).expect_err("another strategy").to_string();
    assert_eq!(error, "the corpora differ in strategy: fuzz:state and fuzz:trace");
    let mut other = two;
    other.config.nodes += 1;
    let error = one.take_in(&other).expect_err("another configuration").to_string();
    assert!(error.starts_with("the corpora differ in configuration"), "{error}");
}

#[test]
fn a_campaign_that_begins_with_a_corpus_begins_with_what_it_covers() {
    let target = teller();
    for strategy in ["fuzz:state", "fuzz:state,mode=published"] {
        let (corpus, _) = grown(&target, strategy, 1);
        let covered = all(&play(&target, &corpus, 1)).len() as u64;
        let mut campaign = corpus.campaign(&target);
        let summary = campaign.run(&Silent).expect("the campaign runs");
        assert_eq!(summary.coverage[0].covered(), covered, "{strategy}");
        campaign.plan.executions += 500;
        let more = campaign.run(&Silent).expect("the campaign runs").coverage[0].covered();
        assert!(more > covered, "{strategy}: {more} {covered}");
    }
}

#[test]
fn a_file_keeps_a_corpus_and_a_damaged_one_is_told() {
    let target = teller();
    let (corpus, _) = grown(&target, "fuzz:state", 1);
    let folder = tempfile::tempdir().expect("a folder");
    corpus.write(folder.path()).expect("it can be written");
    assert_eq!(Corpus::read(folder.path()).expect("it can be read"), corpus);
    let path = folder.path().join(Corpus::FILE);
    let text = std::fs::read_to_string(&path).expect("it is text");
    for (damaged, reason) in [
        (text[..text.len() / 2].to_owned(), "EOF while parsing"),
        (text.replace("shakedown-corpus", "shakedown-failure"), "it is \"shakedown-failure\" 1, this is"),
        (text.replace("\"version\":1", "\"version\":2"), "it is \"shakedown-corpus\" 2, this is"),
        (text.replace("\"inputs\":[\"", "\"inputs\":[\"?"), "invalid"),
    ] {
        std::fs::write(&path, damaged).expect("it can be written");
        let error = Corpus::read(folder.path()).expect_err("it is damaged").to_string();
        assert!(error.contains(reason), "{error}");
    }
    let mut bytes = corpus;
    bytes.inputs[0].truncate(20);
    let error = bytes.campaign(&target).run(&Silent).expect_err("the input is damaged").to_string();
    assert_eq!(
        error,
        "the inputs that the campaign begins with cannot be played: input 1: it ends too early"
    );
}

/// Boots in three worlds of four.
struct Moody;

impl Node for Moody {
    type Message = Nothing;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        assert_ne!(ctx.random().below(4), 0, "not in this world");
        Moody
    }

    fn receive(&mut self, _from: NodeId, _message: Nothing, _ctx: &mut Context<'_, Self>) {}

    fn observe(&self) -> u64 {
        0
    }
}

#[test]
fn a_node_that_does_not_boot_in_the_world_of_an_input_does_not_boot_in_its_replay() {
    let target = Target::<Moody>::new("moody").nodes(1);
    let boots = |seed| target.begin(target.defaults(), seed, Recording::Brief).is_ok();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = "fuzz:state".parse().expect("this is a strategy");
    campaign.plan.seed = (0..).find(|&seed| boots(derive_seed(seed, 0))).expect("there are many");
    let bad = (0..).find(|&seed: &u64| !boots(seed)).expect("there are many");
    // An input that does nothing: the world that it is played in, where it ends, and that it has no entries.
    let input = [b"shakedown input 1\n", &bad.to_le_bytes()[..], &[0; 16]].concat();
    campaign.plan.inputs = [input].into();
    let mut summary = campaign.run(&Silent).expect("the campaign runs");
    let failure = summary.findings.remove(0).failure;
    assert_eq!((failure.found.execution, failure.seed), (0, bad));
    assert_eq!(failure.replay(&target, Recording::Brief).expect("it replays").same, Sameness::Exact);
}

#[test]
fn a_corpus_of_more_nodes_than_there_can_be_is_refused() {
    let target = teller();
    let (mut corpus, _) = grown(&target, "fuzz:state", 1);
    corpus.config.nodes = usize::MAX;
    let error =
        corpus.play(&corpus.campaign(&target), &Silent).err().expect("it cannot be played").to_string();
    assert!(error.contains("nodes"), "{error}");
}
