//! Addresses of sockets as the C library writes them.
#![expect(unsafe_code, reason = "callers of the C library hand over pointers")]

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

/// Reads an address that a caller handed over. None if it is not one of the internet's.
///
/// # Safety
/// `address` points to `length` bytes that may be read.
pub unsafe fn read(address: *const libc::sockaddr, length: libc::socklen_t) -> Option<SocketAddr> {
    let length = length as usize;
    if address.is_null() || length < size_of::<libc::sa_family_t>() {
        return None;
    }
    // SAFETY: the caller answers for the bytes; they may be aligned in any way.
    unsafe {
        match i32::from(address.cast::<libc::sa_family_t>().read_unaligned()) {
            libc::AF_INET if length >= size_of::<libc::sockaddr_in>() => {
                let known = address.cast::<libc::sockaddr_in>().read_unaligned();
                let ip = Ipv4Addr::from(u32::from_be(known.sin_addr.s_addr));
                Some(SocketAddr::from((ip, u16::from_be(known.sin_port))))
            }
            libc::AF_INET6 if length >= size_of::<libc::sockaddr_in6>() => {
                let known = address.cast::<libc::sockaddr_in6>().read_unaligned();
                let ip = Ipv6Addr::from(known.sin6_addr.s6_addr);
                Some(SocketAddr::from((ip, u16::from_be(known.sin6_port))))
            }
            _ => None,
        }
    }
}

/// Writes an address to where a caller wants it, as much as there is room for.
///
/// # Safety
/// `room` and `length` are null, or `length` points to the number of bytes that may be written at `room`.
pub unsafe fn write(address: SocketAddr, room: *mut libc::sockaddr, length: *mut libc::socklen_t) {
    if room.is_null() || length.is_null() {
        return;
    }
    let copy = |from: *const u8, size: usize| {
        // SAFETY: the caller answers for the room, of which no more is used than there is.
        unsafe {
            let most = (*length as usize).min(size);
            std::ptr::copy_nonoverlapping(from, room.cast::<u8>(), most);
            *length = size as libc::socklen_t;
        }
    };
    match address {
        SocketAddr::V4(v4) => {
            let known = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from(*v4.ip()).to_be() },
                sin_zero: [0; 8],
            };
            copy((&raw const known).cast(), size_of_val(&known));
        }
        SocketAddr::V6(v6) => {
            let known = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            copy((&raw const known).cast(), size_of_val(&known));
        }
    }
}
