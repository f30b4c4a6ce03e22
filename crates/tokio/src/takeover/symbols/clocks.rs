//! Clocks.
#![expect(
    unsafe_code,
    reason = "functions of the C library take pointers, and their names must not be mangled"
)]

use std::ffi::{c_int, c_void};
use std::time::Duration;

use super::super::machine::{DATE, UPTIME, ask};
use super::super::raw::{call, to_c};
use super::Original;

static CLOCK_GETTIME: Original = Original::new(c"clock_gettime");

fn write_time(time: Duration, room: *mut libc::timespec) {
    if !room.is_null() {
        let known = libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
        // SAFETY: the caller hands over room for a time.
        unsafe { room.write(known) };
    }
}

/// The time: that of the node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, room: *mut libc::timespec) -> c_int {
    let base = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => Some(DATE),
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_BOOTTIME => Some(UPTIME),
        _ => None,
    };
    if let Some(time) = base.and_then(|base| ask(|machine| base + machine.now())) {
        write_time(time, room);
        return 0;
    }
    let original = CLOCK_GETTIME.get();
    if original.is_null() {
        // SAFETY: as the caller handed them over.
        return to_c(unsafe { call(libc::SYS_clock_gettime, [clock as usize, room as usize, 0, 0, 0, 0]) })
            as c_int;
    }
    type Function = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;
    // SAFETY: the C library's function of this name is of this type.
    unsafe { std::mem::transmute::<*mut c_void, Function>(original)(clock, room) }
}

/// The date: that of the node.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(room: *mut libc::timeval, _zone: *mut c_void) -> c_int {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is room for a time.
    let result = unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut time) };
    if !room.is_null() {
        // SAFETY: the caller hands over room for a time.
        unsafe { room.write(libc::timeval { tv_sec: time.tv_sec, tv_usec: time.tv_nsec / 1_000 }) };
    }
    result
}

/// The date in seconds: that of the node.
#[unsafe(no_mangle)]
unsafe extern "C" fn time(room: *mut libc::time_t) -> libc::time_t {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is room for a time, and the caller hands over room for seconds or none.
    unsafe {
        clock_gettime(libc::CLOCK_REALTIME, &raw mut time);
        if !room.is_null() {
            room.write(time.tv_sec);
        }
    }
    time.tv_sec
}
