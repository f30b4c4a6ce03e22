//! Where the linker has put the counters.
#![expect(unsafe_code, reason = "a section of the program can only be reached by its address")]

use std::sync::atomic::AtomicU64;

/// The counters of all instrumented functions.
pub(crate) fn counters() -> &'static [AtomicU64] {
    let [start, stop, ..] = bounds();
    let count = stop.saturating_sub(start) / size_of::<AtomicU64>();
    if start == 0 || count == 0 || !start.is_multiple_of(align_of::<AtomicU64>()) {
        return &[];
    }
    // SAFETY: the linker has set `start` and `stop` to the two ends of the section `__llvm_prf_cnts`, so all
    // of it is memory of this program, which is never freed. LLVM fills it with 64-bit counters, aligned, and
    // every value of an integer is a valid one. Instrumented code changes them at any time; hence atomics,
    // which may change behind a shared reference. That this code adds to them without atomic instructions is
    // the compiler's own doing: a thread that counts at the same time as another can lose counts, which is
    // why campaigns that look at counters run on their own.
    unsafe { std::slice::from_raw_parts(start as *const AtomicU64, count) }
}

/// The names of all instrumented functions, as LLVM wrote them, packed.
pub(crate) fn names() -> &'static [u8] {
    let [.., start, stop] = bounds();
    if start == 0 || stop <= start {
        return &[];
    }
    // SAFETY: as for the counters: the ends of the section `__llvm_prf_names`, which is bytes that nobody
    // ever writes to.
    unsafe { std::slice::from_raw_parts(start as *const u8, stop - start) }
}

// The linker defines `__start_SECTION` and `__stop_SECTION` where there is such a section. A weak reference
// to them is zero where there is none, and Rust has no weak references of its own; hence four words that are
// written in assembly.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
std::arch::global_asm!(
    ".weak __start___llvm_prf_cnts",
    ".weak __stop___llvm_prf_cnts",
    ".weak __start___llvm_prf_names",
    ".weak __stop___llvm_prf_names",
    ".pushsection .data.rel.ro.shakedown_counters,\"aw\",%progbits",
    ".p2align 3",
    ".globl shakedown_counters_bounds",
    ".hidden shakedown_counters_bounds",
    "shakedown_counters_bounds:",
    ".quad __start___llvm_prf_cnts",
    ".quad __stop___llvm_prf_cnts",
    ".quad __start___llvm_prf_names",
    ".quad __stop___llvm_prf_names",
    ".popsection",
);

/// The ends of the two sections; zeros if the program does not have them.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn bounds() -> [usize; 4] {
    unsafe extern "C" {
        static shakedown_counters_bounds: [usize; 4];
    }
    // SAFETY: the four words above, which are as many and as wide as the type says (pointers have 64 bits).
    // Nothing writes to them once the program has been loaded. The read is volatile so that the compiler does
    // not guess what they hold.
    unsafe { std::ptr::read_volatile(&raw const shakedown_counters_bounds) }
}

/// Programs for other systems have their counters elsewhere: none are found.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn bounds() -> [usize; 4] {
    [0; 4]
}
