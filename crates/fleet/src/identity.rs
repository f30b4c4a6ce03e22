//! Identity of code: workers run a campaign only if they are the program that its coordinator is.
//!
//! The build id is a digest of the executable file. Two builds of one source may differ in it; that is
//! refused as well, for nobody knows what differs.

use std::fs::File;
use std::io::{self, Read};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::FleetTrouble;
use crate::wire::VERSION;

/// How much of the executable is read at once.
const PIECE: usize = 1 << 16;

/// The build id of this program, and the version of its messages.
pub(crate) fn build_id() -> Result<String, FleetTrouble> {
    let machine =
        |source| FleetTrouble::Machine { what: "the executable cannot be read for its build id", source };
    let path = std::env::current_exe().map_err(machine)?;
    let digest = digest_of(File::open(path).map_err(machine)?).map_err(machine)?;
    Ok(format!("{VERSION}-{}", short(&digest)))
}

fn digest_of(mut file: impl Read) -> io::Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest.finalize().into()),
            count => digest.update(&piece[..count]),
        }
    }
}

/// The name of a campaign on the server: it follows from the plan and the program, so a campaign that is
/// resumed has the one that it had.
pub(crate) fn campaign_id(build: &str, plan: &[u8]) -> String {
    let mut digest = Sha256::new();
    digest.update(build.as_bytes());
    digest.update([0]);
    digest.update(plan);
    short(&digest.finalize())
}

/// The first half of a digest, which is enough to tell programs and plans apart.
fn short(digest: &[u8]) -> String {
    HEXLOWER.encode(&digest[..16])
}
