//! Random numbers.
#![expect(
    unsafe_code,
    reason = "functions of the C library take pointers, and their names must not be mangled"
)]

use std::ffi::{c_int, c_long, c_void};

use super::super::machine::{Machine, ask};
use super::super::raw::{call, fail, to_c};

fn fill(machine: &Machine, buffer: *mut c_void, length: usize) {
    if length > 0 {
        // SAFETY: the caller hands over a buffer of this length to be written to; zeros make it valid to
        // refer to.
        let bytes = unsafe {
            std::ptr::write_bytes(buffer.cast::<u8>(), 0, length);
            std::slice::from_raw_parts_mut(buffer.cast::<u8>(), length)
        };
        machine.fill(bytes);
    }
}

/// Random bytes: those of the node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, flags: u32) -> isize {
    match ask(|machine| fill(machine, buffer, length)) {
        Some(()) => length as isize,
        None => {
            let arguments = [buffer as usize, length, flags as usize, 0, 0, 0];
            // SAFETY: as the caller handed them over.
            to_c(unsafe { call(libc::SYS_getrandom, arguments) })
        }
    }
}

/// The same, for callers who want all of it.
#[unsafe(no_mangle)]
unsafe extern "C" fn getentropy(buffer: *mut c_void, length: usize) -> c_int {
    if length > 256 {
        return fail(libc::EIO);
    }
    // SAFETY: as the caller handed them over; so few bytes come at once.
    if unsafe { getrandom(buffer, length, 0) } < 0 { -1 } else { 0 }
}

/// Any call of the kernel. Callers who ask for random bytes this way get those of the node.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    if number == libc::SYS_getrandom {
        // SAFETY: as the caller handed them over.
        return unsafe { getrandom(a as *mut c_void, b, c as u32) as c_long };
    }
    // SAFETY: as the caller handed them over. What the caller left out is not looked at by the kernel.
    to_c(unsafe { call(number, [a, b, c, d, e, f]) }) as c_long
}
