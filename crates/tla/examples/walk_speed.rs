//! How long a controlled run of 100 actions takes: `walk_speed SPEC.tla SPEC.cfg`.
//!
//! A random behaviour of 100 actions is drawn first; then it is run again and again, as a test does with the
//! actions of an implementation's execution.

use std::path::{Path, PathBuf};
use std::time::Instant;

use shakedown_tla::walk::{ActionCall, Walker};
use shakedown_tla::{Config, Loader, Spec};

struct Folder(PathBuf);

impl Loader for Folder {
    fn module(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(format!("{name}.tla"))).ok()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [spec, config] = words.as_slice() else { return Err("usage: walk_speed SPEC.tla SPEC.cfg".into()) };
    let path = Path::new(spec);
    let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = Folder(path.parent().map(Path::to_path_buf).unwrap_or_default());
    let start = Instant::now();
    let spec = Spec::load(&name, Config::parse(&std::fs::read_to_string(config)?)?, &folder)?;
    let mut walker = Walker::new(&spec)?;
    println!("start: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let actions = random_behaviour(&mut walker, 100)?;
    let mut times: Vec<f64> = Vec::new();
    let mut stutters = 0;
    for _ in 0..200 {
        let start = Instant::now();
        stutters = walker.run(&actions)?.stutters.len();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{} actions, {stutters} stutters: {:.3} ms in the median",
        actions.len(),
        times[times.len() / 2]
    );
    Ok(())
}

fn random_behaviour(
    walker: &mut Walker,
    length: usize,
) -> Result<Vec<ActionCall>, Box<dyn std::error::Error>> {
    let mut actions = Vec::new();
    let mut state = walker.initial()?.into_iter().next().ok_or("no initial state")?;
    let mut seed: usize = 12_345;
    while actions.len() < length {
        let successors = walker.successors(&state)?;
        if successors.is_empty() {
            break;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chosen = &successors[(seed >> 33) % successors.len()];
        actions.push(chosen.action.clone());
        state = chosen.state.clone();
    }
    Ok(actions)
}
