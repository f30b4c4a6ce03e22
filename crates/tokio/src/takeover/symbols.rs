//! The functions themselves.
#![expect(unsafe_code, reason = "the C library is asked for its own functions by name")]

mod bytes;
mod clocks;
mod random;
mod sockets;
mod threads;

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::kernel;
use super::machine::ask;
use super::raw::{call, to_c};
use crate::network::Network;

/// Makes the linker keep the functions, one of each file.
pub(super) fn link() {
    let kept = [
        bytes::recv as *const (),
        clocks::clock_gettime as *const (),
        random::getrandom as *const (),
        sockets::socket as *const (),
        threads::epoll_wait as *const (),
    ];
    std::hint::black_box(kept);
}

/// A function of the C library that this crate defines too.
struct Original {
    name: &'static CStr,
    known: AtomicPtr<c_void>,
}

impl Original {
    const fn new(name: &'static CStr) -> Original {
        Original { name, known: AtomicPtr::new(std::ptr::null_mut()) }
    }

    fn get(&self) -> *mut c_void {
        let known = self.known.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name ends with a zero byte. The library is never unloaded.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr().cast::<c_char>()) };
        self.known.store(found, Ordering::Relaxed);
        found
    }
}

/// Asks the network of the node about one of its sockets. None if it is none, or no node runs on this thread.
pub(super) fn on_socket<T>(fd: c_int, question: impl FnOnce(&mut Network) -> T) -> Option<T> {
    ask(|machine| machine.with_network(|network| network.owns(fd).then(|| question(network)))).flatten()
}

pub(super) fn status(result: Result<(), i32>) -> c_int {
    kernel::to_c(result.map(|()| 0))
}

pub(super) fn plain(number: c_long, arguments: [usize; 6]) -> isize {
    // SAFETY: callers are functions of this file, which pass on what they were handed.
    to_c(unsafe { call(number, arguments) })
}
