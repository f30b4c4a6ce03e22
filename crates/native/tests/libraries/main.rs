//! Libraries that behave and libraries that do not, built by the C compiler (`cc`). The test program is a
//! host, too: it starts itself again to serve a library in a process of its own.

mod compiled;
mod misbehaving;
mod register;

use std::path::Path;
use std::process::ExitCode;

use misbehaving::{
    a_file_that_is_no_library_is_refused, a_library_of_another_version_is_refused,
    a_library_without_a_needed_call_is_refused, a_library_without_the_function_is_refused,
};
use register::{in_process_and_hosted_executions_are_the_same, the_transcript_of_the_vectors_is_followed};

/// The word that makes this program a host.
const HOST: &str = "serve-library";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(HOST) {
        let file = arguments.next().unwrap_or_default();
        let served = shakedown_native::serve_process(Path::new(&file));
        return served.map_or_else(
            |error| {
                eprintln!("{error}");
                ExitCode::from(2)
            },
            |()| ExitCode::SUCCESS,
        );
    }
    if !compiled::has_compiler() {
        return ExitCode::SUCCESS;
    }
    let cases = shakedown_cases::cases!(
        in_process_and_hosted_executions_are_the_same,
        the_transcript_of_the_vectors_is_followed,
        a_file_that_is_no_library_is_refused,
        a_library_without_the_function_is_refused,
        a_library_of_another_version_is_refused,
        a_library_without_a_needed_call_is_refused,
    );
    misbehaving::WAYS
        .iter()
        .fold(cases, |cases, (way, expected)| cases.and(*way, || misbehaving::misbehave(way, expected)))
        .run()
}
