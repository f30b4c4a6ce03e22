//! Cases: the inputs of a reader, each fixed by a number.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Mutator, Random, Reader, Room};

/// The largest input that mutations make.
const INPUT_SIZE_MAX: usize = 1 << 20;

/// An input of a reader.
pub struct Case {
    /// Its bytes.
    pub input: Vec<u8>,
}

/// What cases are made from.
pub struct Seeds {
    inputs: Vec<Vec<u8>>,
    /// How many of them there were at first; those after it were found by their coverage.
    given: usize,
}

impl Seeds {
    /// What a reader makes itself, most of which is in order, and then its committed seeds by name.
    pub fn of(reader: &Reader, room: &Room) -> Seeds {
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(reader.name);
        let mut inputs = (reader.make)(room);
        room.clear();
        inputs.extend(Seeds::in_folder(&committed).inputs);
        Seeds { given: inputs.len(), inputs }
    }

    /// The files of a folder, in the order of their names.
    pub fn in_folder(folder: &Path) -> Seeds {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let inputs: Vec<_> = paths.iter().filter_map(|path| fs::read(path).ok()).collect();
        Seeds { given: inputs.len(), inputs }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.inputs.len()
    }

    /// One that was given.
    pub fn given(&self, number: usize) -> Option<&[u8]> {
        self.inputs[..self.given].get(number).map(Vec::as_slice)
    }

    /// Adds an input that led to something new.
    pub fn add(&mut self, input: Vec<u8>) {
        self.inputs.push(input);
    }

    /// The case of a number: the seeds as they are come first, then changed ones.
    pub fn case(&self, reader: &Reader, seed: u64, number: u64) -> Case {
        if let Some(given) = usize::try_from(number).ok().and_then(|number| self.given(number)) {
            return Case { input: given.to_vec() };
        }
        let mut random = Random::new(seed.wrapping_shl(40).wrapping_add(number));
        let mut input = random.pick(&self.inputs).clone();
        let donor = random.pick(&self.inputs).clone();
        let mutator = Mutator { form: reader.form, donor: &donor };
        for _ in 0..1 + random.below(4) {
            input = mutator.mutate(&input, &mut random);
            input.truncate(INPUT_SIZE_MAX);
        }
        Case { input }
    }
}
