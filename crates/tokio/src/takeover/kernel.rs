//! The few calls of the kernel that sockets are made of, on the descriptors that a target holds.
//!
//! What a target takes for a socket of the internet is a local one (`AF_UNIX`), whose other end is ours: the
//! kernel reports when it can be read and written, which is all that a runtime asks for.
#![expect(unsafe_code, reason = "descriptors of a target are known by their numbers only")]

use std::io;
use std::os::fd::RawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::SocketAddr;

use super::raw::{checked, fail};

/// The longest address of a local socket.
const NAME_MAX: usize = 108;
/// The send buffer of a socket that must not look writable, and of all others, in bytes.
const SMALL_BUFFER: i32 = 1;
const LARGE_BUFFER: i32 = 1 << 20;

/// Makes a local socket of this type, flags included.
pub fn socket(kind: i32) -> io::Result<RawFd> {
    // SAFETY: the call takes no pointers.
    unsafe { checked(libc::SYS_socket, [libc::AF_UNIX as usize, kind as usize, 0, 0, 0, 0]) }
        .map(|fd| fd as RawFd)
}

/// Gives the socket an address of the kernel's choice, and tells which.
pub fn name(fd: RawFd) -> io::Result<SocketAddr> {
    let mut address =
        libc::sockaddr_un { sun_family: libc::AF_UNIX as libc::sa_family_t, sun_path: [0; NAME_MAX] };
    let place = &raw mut address as usize;
    let mut length = size_of_val(&address) as libc::socklen_t;
    // SAFETY: `address` and `length` live until both calls are over, and `length` is the size of `address`.
    unsafe {
        checked(libc::SYS_bind, [fd as usize, place, size_of::<libc::sa_family_t>(), 0, 0, 0])?;
        checked(libc::SYS_getsockname, [fd as usize, place, &raw mut length as usize, 0, 0, 0])?;
    }
    // An address without a file begins with a zero byte.
    let used = (length as usize).saturating_sub(size_of::<libc::sa_family_t>() + 1).min(NAME_MAX - 1);
    let bytes: Vec<u8> = address.sun_path[1..=used].iter().map(|&byte| byte as u8).collect();
    SocketAddr::from_abstract_name(bytes)
}

/// Lets the socket take connections.
pub fn listen(fd: RawFd, backlog: i32) -> io::Result<()> {
    // SAFETY: the call takes no pointers.
    unsafe { checked(libc::SYS_listen, [fd as usize, backlog as usize, 0, 0, 0, 0]) }.map(drop)
}

/// Takes the next connection.
pub fn accept(fd: RawFd, flags: i32) -> io::Result<RawFd> {
    // SAFETY: both pointers are null, which means that nobody asks for the address.
    unsafe { checked(libc::SYS_accept4, [fd as usize, 0, 0, flags as usize, 0, 0]) }.map(|fd| fd as RawFd)
}

/// Connects the socket to a local one that listens.
pub fn connect(fd: RawFd, to: &SocketAddr) -> io::Result<()> {
    let mut address =
        libc::sockaddr_un { sun_family: libc::AF_UNIX as libc::sa_family_t, sun_path: [0; NAME_MAX] };
    let name = to.as_abstract_name().unwrap_or_default();
    for (place, byte) in address.sun_path[1..].iter_mut().zip(name) {
        *place = *byte as libc::c_char;
    }
    let length = size_of::<libc::sa_family_t>() + 1 + name.len();
    // SAFETY: `address` lives until the call is over, and is at least `length` bytes long.
    unsafe { checked(libc::SYS_connect, [fd as usize, &raw const address as usize, length, 0, 0, 0]) }
        .map(drop)
}

/// Whether calls on the descriptor return at once.
pub fn is_nonblocking(fd: RawFd) -> bool {
    // SAFETY: the call takes no pointers.
    let flags = unsafe { checked(libc::SYS_fcntl, [fd as usize, libc::F_GETFL as usize, 0, 0, 0, 0]) };
    flags.is_ok_and(|flags| flags as i32 & libc::O_NONBLOCK != 0)
}

fn set_send_buffer(fd: RawFd, bytes: i32) -> io::Result<()> {
    let arguments = [
        fd as usize,
        libc::SOL_SOCKET as usize,
        libc::SO_SNDBUF as usize,
        &raw const bytes as usize,
        size_of_val(&bytes),
        0,
    ];
    // SAFETY: `bytes` lives until the call is over, and its size is given.
    unsafe { checked(libc::SYS_setsockopt, arguments) }.map(drop)
}

/// Fills the socket until it is not writable any more, as one is that is being connected. Gives the number of
/// bytes that are to be thrown away before it is [opened](open).
pub fn fill(fd: RawFd) -> io::Result<usize> {
    set_send_buffer(fd, SMALL_BUFFER)?;
    let junk = [0_u8; 1024];
    let mut filled = 0;
    loop {
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        let arguments = [fd as usize, &raw const junk as usize, junk.len(), flags as usize, 0, 0];
        // SAFETY: `junk` lives until the call is over, and its size is given; the address is null.
        match unsafe { checked(libc::SYS_sendto, arguments) } {
            Ok(written) => filled += written,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(filled),
            Err(error) => return Err(error),
        }
    }
}

/// Gives the socket a send buffer of the usual size.
pub fn open(fd: RawFd) -> io::Result<()> {
    set_send_buffer(fd, LARGE_BUFFER)
}

/// The descriptor or the error in the manner of the C library.
pub fn to_c(result: Result<i32, i32>) -> i32 {
    result.unwrap_or_else(fail)
}
