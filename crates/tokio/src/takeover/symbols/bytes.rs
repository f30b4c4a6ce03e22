//! What goes through sockets.
#![expect(
    unsafe_code,
    reason = "functions of the C library take pointers, and their names must not be mangled"
)]

use std::ffi::{c_int, c_void};

use super::super::address;
use super::super::raw::fail;
use super::{on_socket, plain};
use crate::network::{DATAGRAM_MAX, HEADER};

/// What a call on a socket must fail with, if it must.
fn broken(fd: c_int, error: i32) -> Option<i32> {
    on_socket(fd, |network| network.is_reset(fd).then_some(error)).flatten()
}

/// Reads a datagram behind its header.
///
/// # Safety
/// `buffer` is room for `length` bytes.
unsafe fn read_datagram(
    fd: c_int,
    buffer: *mut c_void,
    length: usize,
    flags: c_int,
) -> Result<(isize, [u8; HEADER]), i32> {
    let mut whole = vec![0_u8; HEADER + DATAGRAM_MAX];
    let arguments = [fd as usize, whole.as_mut_ptr() as usize, whole.len(), flags as usize, 0, 0];
    let read = plain(libc::SYS_recvfrom, arguments);
    if read < HEADER as isize {
        // The kernel's own error stands.
        return Err(0);
    }
    let mut header = [0; HEADER];
    header.copy_from_slice(&whole[..HEADER]);
    let bytes = &whole[HEADER..read as usize];
    let most = bytes.len().min(length);
    // SAFETY: no more is written than there is room for.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast::<u8>(), most) };
    Ok((most as isize, header))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn recvfrom(
    fd: c_int,
    buffer: *mut c_void,
    length: usize,
    flags: c_int,
    room: *mut libc::sockaddr,
    room_length: *mut libc::socklen_t,
) -> isize {
    if on_socket(fd, |network| network.is_datagram(fd)) == Some(true) {
        // SAFETY: as the caller handed them over.
        return match unsafe { read_datagram(fd, buffer, length, flags) } {
            Ok((read, header)) => {
                if let Some(sender) = on_socket(fd, |network| network.sender(fd, header)) {
                    // SAFETY: as the caller handed them over.
                    unsafe { address::write(sender, room, room_length) };
                }
                read
            }
            Err(_) => -1,
        };
    }
    if let Some(errno) = broken(fd, libc::ECONNRESET) {
        return fail(errno) as isize;
    }
    let arguments =
        [fd as usize, buffer as usize, length, flags as usize, room as usize, room_length as usize];
    plain(libc::SYS_recvfrom, arguments)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(fd: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize {
    // SAFETY: as the caller handed them over; nobody asks for the address.
    unsafe { recvfrom(fd, buffer, length, flags, std::ptr::null_mut(), std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sendto(
    fd: c_int,
    buffer: *const c_void,
    length: usize,
    flags: c_int,
    to: *const libc::sockaddr,
    to_length: libc::socklen_t,
) -> isize {
    if on_socket(fd, |network| network.is_datagram(fd)) == Some(true) {
        // SAFETY: as the caller handed them over.
        let (bytes, to) = unsafe {
            let bytes =
                if length == 0 { &[] } else { std::slice::from_raw_parts(buffer.cast::<u8>(), length) };
            (bytes, address::read(to, to_length))
        };
        let sent = on_socket(fd, |network| network.send_datagram(fd, bytes, to));
        return match sent.unwrap_or(Err(libc::EBADF)) {
            Ok(sent) => sent as isize,
            Err(errno) => fail(errno) as isize,
        };
    }
    if let Some(errno) = broken(fd, libc::EPIPE) {
        return fail(errno) as isize;
    }
    let arguments = [fd as usize, buffer as usize, length, flags as usize, to as usize, to_length as usize];
    plain(libc::SYS_sendto, arguments)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn send(fd: c_int, buffer: *const c_void, length: usize, flags: c_int) -> isize {
    // SAFETY: as the caller handed them over; the address is that of the connection.
    unsafe { sendto(fd, buffer, length, flags, std::ptr::null(), 0) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn readv(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    if let Some(errno) = broken(fd, libc::ECONNRESET) {
        return fail(errno) as isize;
    }
    plain(libc::SYS_readv, [fd as usize, parts as usize, count as usize, 0, 0, 0])
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    if let Some(errno) = broken(fd, libc::EPIPE) {
        return fail(errno) as isize;
    }
    plain(libc::SYS_writev, [fd as usize, parts as usize, count as usize, 0, 0, 0])
}
