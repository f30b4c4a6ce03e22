//! `shakedown serve`: a live page of the campaigns in a folder, on the loopback interface.
//!
//! One thread looks at the stores ([`watch`]) and makes the parts of the page; [`board`] holds them, and
//! wakes those who wait for changes. Every connection has a thread of its own ([`routes`]), after [`access`]
//! has let it in. Whatever runs a target is a process of its own ([`workshop`]): a node that hangs or ends
//! its process does no harm here. Stores are only read.

mod access;
mod board;
mod fleet;
mod history;
mod routes;
mod watch;
mod workshop;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use clap::Args;
use shakedown_campaign::AnyTarget;
use shakedown_http::{Answer, Limits, Request, random_token};

use self::access::Access;
use self::board::Board;
use self::fleet::FleetWatch;
use self::routes::Site;
use self::watch::Watch;
use self::workshop::Workshop;
use crate::command_error::CommandError;
use crate::exit_status::ExitStatus;
use crate::fleet_options::FleetArgs;
use crate::interruption::interruptions;
use crate::terminal::{paint, print_line};

/// The most connections at a time.
const CONNECTIONS_MAX: usize = 64;
/// How often the main thread looks whether the command is to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long a failed `accept` is waited after, as when there are no more file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Args)]
pub(crate) struct Serve {
    /// The folder in or below which campaigns are stored (`run --keep DIR`)
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// The port on the loopback interface; 0 for any that is free
    #[arg(long, default_value_t = 0, value_name = "N")]
    port: u16,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub(crate) fn serve(targets: &[Box<dyn AnyTarget>], options: &Serve) -> Result<ExitStatus, CommandError> {
    // A folder that is named has to be there.
    std::fs::read_dir(&options.folder)
        .map_err(|error| CommandError(format!("{}: {error}", options.folder.display())))?;
    let wrong = |error: std::io::Error| CommandError(format!("port {}: {error}", options.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).map_err(wrong)?;
    let port = listener.local_addr().map_err(wrong)?.port();
    let access = Access::new(random_token(), port);
    let address = access.address();
    let stop = interruptions();
    let board = Arc::new(Board::default());
    let workshop = Arc::new(Workshop::new(Arc::clone(&board))?);
    let fleet = options.fleet.url.as_ref().map(|_| FleetWatch::begin(&options.fleet)).transpose()?;
    let mut watch = Watch::new(&options.folder, targets, fleet);
    watch.look(&board);
    let site = Arc::new(Site::new(access, Arc::clone(&board), Arc::clone(&workshop)));
    thread::spawn(move || accept_all(&listener, &site));
    print_line!("{} {address}", paint().faint("live page"));
    print_line!("{}", paint().faint("whoever has this address can see the page; Ctrl-C ends it"));
    let is_over = || stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    while !is_over() {
        thread::sleep(LOOK_EVERY);
        watch.look_if_due(&board);
    }
    workshop.close();
    Ok(ExitStatus::Pass)
}

/// Gives every connection a thread of its own, as long as there are not too many.
fn accept_all(listener: &TcpListener, site: &Arc<Site>) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(ACCEPT_PAUSE);
            continue;
        };
        let place = Place::take(&open);
        let site = Arc::clone(site);
        let answer = move || {
            if place.is_beyond(CONNECTIONS_MAX) {
                // Its request is not read.
                let _ = stream.set_write_timeout(Some(LOOK_EVERY));
                return Answer::error(503, "there are too many connections").refuse(&stream);
            }
            answer(&stream, &site);
        };
        // A connection for which there is no thread is closed.
        let _ = thread::Builder::new().name("shakedown-serve".to_owned()).spawn(answer);
    }
}

fn answer(stream: &TcpStream, site: &Site) {
    match Request::read(stream, &Limits::default()) {
        Ok(request) => site.answer(stream, &request),
        Err(Some(answer)) => answer.refuse(stream),
        Err(None) => {}
    }
}

/// A place among those that are open at a time; it is given back when it is dropped.
struct Place {
    open: Arc<AtomicUsize>,
    /// How many are taken, this one among them.
    number: usize,
}

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Place {
        let number = open.fetch_add(1, Ordering::Relaxed) + 1;
        Place { open: Arc::clone(open), number }
    }

    /// Whether more than these were taken with it. (A method, so that a closure that asks takes the whole
    /// place with it.)
    fn is_beyond(&self, most: usize) -> bool {
        self.number > most
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}
