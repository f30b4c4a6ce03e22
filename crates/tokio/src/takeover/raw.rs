//! Calls of the kernel, without the C library.
#![expect(unsafe_code, reason = "the kernel can only be called in assembly")]

use std::io;

/// Calls the kernel. The answer is as the kernel gives it: negative for an error.
///
/// # Safety
/// The arguments must be what the call expects: pointers to memory that it may read or write.
#[cfg(target_arch = "x86_64")]
pub unsafe fn call(number: i64, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: the registers of the kernel's convention on this processor; the caller answers for the
    // arguments.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Calls the kernel. The answer is as the kernel gives it: negative for an error.
///
/// # Safety
/// The arguments must be what the call expects: pointers to memory that it may read or write.
#[cfg(target_arch = "aarch64")]
pub unsafe fn call(number: i64, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: the registers of the kernel's convention on this processor; the caller answers for the
    // arguments.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") number as isize,
            inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack),
        );
    }
    result
}

/// The answer of the kernel in the manner of the C library: -1 and `errno` for an error.
pub fn to_c(result: isize) -> isize {
    if (-4095..0).contains(&result) { fail(-result as i32) as isize } else { result }
}

/// Sets `errno`, and gives the -1 that stands for an error.
pub fn fail(errno: i32) -> i32 {
    // SAFETY: the C library gives every thread a place of its own for the number.
    unsafe { *libc::__errno_location() = errno };
    -1
}

/// The answer of the kernel in the manner of Rust.
///
/// # Safety
/// As [`call`].
pub unsafe fn checked(number: i64, arguments: [usize; 6]) -> io::Result<usize> {
    // SAFETY: the caller answers for the arguments.
    let result = unsafe { call(number, arguments) };
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result as i32))
}
