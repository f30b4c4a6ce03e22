//! Threads and waiting: what is not controlled, and how a runtime looks for events.
#![expect(
    unsafe_code,
    reason = "functions of the C library take pointers, and their names must not be mangled"
)]

use std::ffi::{c_int, c_void};

use super::super::machine::ask;
use super::super::raw::{call, fail, to_c};
use super::Original;

static PTHREAD_CREATE: Original = Original::new(c"pthread_create");
static CLOCK_NANOSLEEP: Original = Original::new(c"clock_nanosleep");
static NANOSLEEP: Original = Original::new(c"nanosleep");

/// A thread of the target: it starts, and it is noted.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    work: extern "C" fn(*mut c_void) -> *mut c_void,
    argument: *mut c_void,
) -> c_int {
    ask(|machine| machine.note("it starts a thread"));
    let original = PTHREAD_CREATE.get();
    if original.is_null() {
        return libc::EAGAIN;
    }
    type Function = unsafe extern "C" fn(
        *mut libc::pthread_t,
        *const libc::pthread_attr_t,
        extern "C" fn(*mut c_void) -> *mut c_void,
        *mut c_void,
    ) -> c_int;
    // SAFETY: the C library's function of this name is of this type; arguments are as the caller handed them
    // over.
    unsafe { std::mem::transmute::<*mut c_void, Function>(original)(thread, attributes, work, argument) }
}

/// A node that sleeps holds up all others: it is noted, and takes no time.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: libc::clockid_t,
    flags: c_int,
    time: *const libc::timespec,
    rest: *mut libc::timespec,
) -> c_int {
    if ask(|machine| machine.note("it puts its thread to sleep")).is_some() {
        return 0;
    }
    let original = CLOCK_NANOSLEEP.get();
    if original.is_null() {
        return libc::ENOSYS;
    }
    type Function =
        unsafe extern "C" fn(libc::clockid_t, c_int, *const libc::timespec, *mut libc::timespec) -> c_int;
    // SAFETY: the C library's function of this name is of this type; arguments are as the caller handed them
    // over.
    unsafe { std::mem::transmute::<*mut c_void, Function>(original)(clock, flags, time, rest) }
}

/// The same.
#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const libc::timespec, rest: *mut libc::timespec) -> c_int {
    if ask(|machine| machine.note("it puts its thread to sleep")).is_some() {
        return 0;
    }
    let original = NANOSLEEP.get();
    if original.is_null() {
        return fail(libc::ENOSYS);
    }
    type Function = unsafe extern "C" fn(*const libc::timespec, *mut libc::timespec) -> c_int;
    // SAFETY: the C library's function of this name is of this type; arguments are as the caller handed them
    // over.
    unsafe { std::mem::transmute::<*mut c_void, Function>(original)(time, rest) }
}

/// The events of a runtime. Those of sockets are counted: a node is quiet when there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut libc::epoll_event,
    most: c_int,
    timeout: c_int,
) -> c_int {
    let arguments = [epoll as usize, events as usize, most as usize, timeout as usize, 0, 8];
    // SAFETY: as the caller handed them over; without a signal mask it is the same call.
    let count = to_c(unsafe { call(libc::SYS_epoll_pwait, arguments) }) as c_int;
    ask(|machine| {
        // Tokens 0 and 1 are the runtime's own, for wake-ups and signals; those of sockets are addresses.
        // SAFETY: the kernel has written this many events.
        let of_sockets = (0..count).filter(|&n| unsafe { (*events.add(n as usize)).u64 } > 1).count();
        machine.count_look(of_sockets);
    });
    count
}
