//! Sockets: how they are made, named and connected.
#![expect(
    unsafe_code,
    reason = "functions of the C library take pointers, and their names must not be mangled"
)]

use std::ffi::{c_int, c_void};
use std::net::SocketAddr;

use super::super::machine::ask;
use super::super::raw::fail;
use super::super::{address, kernel};
use super::{on_socket, plain, status};
use crate::network::Network;

/// A socket of the internet: one of the node's network.
#[unsafe(no_mangle)]
pub extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    if matches!(domain, libc::AF_INET | libc::AF_INET6)
        && let Some(made) = ask(|machine| machine.with_network(|network| network.socket(domain, kind)))
    {
        return kernel::to_c(made);
    }
    plain(libc::SYS_socket, [domain as usize, kind as usize, protocol as usize, 0, 0, 0]) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bind(fd: c_int, to: *const libc::sockaddr, length: libc::socklen_t) -> c_int {
    // SAFETY: as the caller handed them over.
    let known = unsafe { address::read(to, length) };
    let bound = on_socket(fd, |network| known.map_or(Err(libc::EAFNOSUPPORT), |to| network.bind(fd, to)));
    bound.map_or_else(
        || plain(libc::SYS_bind, [fd as usize, to as usize, length as usize, 0, 0, 0]) as c_int,
        status,
    )
}

#[unsafe(no_mangle)]
extern "C" fn listen(fd: c_int, backlog: c_int) -> c_int {
    on_socket(fd, |network| network.listen(fd, backlog))
        .map_or_else(|| plain(libc::SYS_listen, [fd as usize, backlog as usize, 0, 0, 0, 0]) as c_int, status)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn connect(fd: c_int, to: *const libc::sockaddr, length: libc::socklen_t) -> c_int {
    // SAFETY: as the caller handed them over.
    let known = unsafe { address::read(to, length) };
    let blocks = ask(|machine| {
        let is_stream = machine.with_network(|network| network.owns(fd) && !network.is_datagram(fd));
        let blocks = is_stream && !kernel::is_nonblocking(fd);
        if blocks {
            machine.note("it waits for a connection with its thread");
        }
        blocks
    });
    if blocks == Some(true) {
        return fail(libc::ETIMEDOUT);
    }
    let connected =
        on_socket(fd, |network| known.map_or(Err(libc::EAFNOSUPPORT), |to| network.connect(fd, to)));
    connected.map_or_else(
        || plain(libc::SYS_connect, [fd as usize, to as usize, length as usize, 0, 0, 0]) as c_int,
        status,
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn accept4(
    fd: c_int,
    room: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
    flags: c_int,
) -> c_int {
    match on_socket(fd, |network| network.accept(fd, flags)) {
        Some(Ok((new, peer))) => {
            // SAFETY: as the caller handed them over.
            unsafe { address::write(peer, room, length) };
            new
        }
        Some(Err(errno)) => fail(errno),
        None => {
            let arguments = [fd as usize, room as usize, length as usize, flags as usize, 0, 0];
            plain(libc::SYS_accept4, arguments) as c_int
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn accept(fd: c_int, room: *mut libc::sockaddr, length: *mut libc::socklen_t) -> c_int {
    // SAFETY: as the caller handed them over.
    unsafe { accept4(fd, room, length, 0) }
}

/// Answers with an address.
///
/// # Safety
/// `room` and `length` are what the caller of the C library handed over.
unsafe fn answer(
    known: Result<SocketAddr, i32>,
    room: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
) -> c_int {
    match known {
        Ok(known) => {
            // SAFETY: as the caller handed them over.
            unsafe { address::write(known, room, length) };
            0
        }
        Err(errno) => fail(errno),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn getsockname(
    fd: c_int,
    room: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
) -> c_int {
    match on_socket(fd, |network| network.local(fd)) {
        // SAFETY: as the caller handed them over.
        Some(known) => unsafe { answer(known, room, length) },
        None => plain(libc::SYS_getsockname, [fd as usize, room as usize, length as usize, 0, 0, 0]) as c_int,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn getpeername(
    fd: c_int,
    room: *mut libc::sockaddr,
    length: *mut libc::socklen_t,
) -> c_int {
    match on_socket(fd, |network| network.peer(fd)) {
        // SAFETY: as the caller handed them over.
        Some(known) => unsafe { answer(known, room, length) },
        None => plain(libc::SYS_getpeername, [fd as usize, room as usize, length as usize, 0, 0, 0]) as c_int,
    }
}

/// Options of a socket: its error is the network's, and all others are off.
#[unsafe(no_mangle)]
unsafe extern "C" fn getsockopt(
    fd: c_int,
    level: c_int,
    option: c_int,
    room: *mut c_void,
    length: *mut libc::socklen_t,
) -> c_int {
    let is_error = level == libc::SOL_SOCKET && option == libc::SO_ERROR;
    let is_shown = |network: &mut Network| if is_error { network.take_error(fd) } else { 0 };
    let is_kernels = level == libc::SOL_SOCKET && !is_error;
    match if is_kernels { None } else { on_socket(fd, is_shown) } {
        Some(value) => {
            // SAFETY: as the caller handed them over; no more is written than there is room for.
            unsafe {
                let most = (*length as usize).min(size_of::<c_int>());
                std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), room.cast::<u8>(), most);
                *length = most as libc::socklen_t;
            }
            0
        }
        None => {
            let arguments = [fd as usize, level as usize, option as usize, room as usize, length as usize, 0];
            plain(libc::SYS_getsockopt, arguments) as c_int
        }
    }
}

/// Options of a socket have no effect on the node's network.
#[unsafe(no_mangle)]
unsafe extern "C" fn setsockopt(
    fd: c_int,
    level: c_int,
    option: c_int,
    value: *const c_void,
    length: libc::socklen_t,
) -> c_int {
    on_socket(fd, |_| 0).unwrap_or_else(|| {
        let arguments = [fd as usize, level as usize, option as usize, value as usize, length as usize, 0];
        plain(libc::SYS_setsockopt, arguments) as c_int
    })
}

#[unsafe(no_mangle)]
extern "C" fn close(fd: c_int) -> c_int {
    on_socket(fd, |network| network.close(fd));
    plain(libc::SYS_close, [fd as usize, 0, 0, 0, 0, 0]) as c_int
}
