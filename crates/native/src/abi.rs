//! The C interface as types: the same layout as `clients/c/shakedown.h`, which describes the fields.

use std::ffi::{c_char, c_void};
use std::marker::PhantomData;

/// The version of the interface.
pub const ABI: u32 = 1;
/// The function that a library exports.
pub const ENTRY: &[u8] = b"shakedown_node_type\0";

/// What a library gets to see of a call: nothing but its address.
#[repr(C)]
pub struct Env {
    _opaque: [u8; 0],
    // Not to be sent to another thread.
    _here: PhantomData<*mut ()>,
}

/// `shakedown_value`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawValue {
    pub data: *const u8,
    pub length: usize,
}

impl RawValue {
    /// These bytes, for as long as they are there.
    pub fn of(bytes: &[u8]) -> RawValue {
        RawValue { data: bytes.as_ptr(), length: bytes.len() }
    }
}

/// `shakedown_boot`.
#[repr(C)]
pub struct RawBoot {
    pub id: u32,
    pub nodes: u32,
    pub life: u32,
    pub now: u64,
    pub seed: u64,
    pub options: RawValue,
    pub disk: RawValue,
}

/// `shakedown_actions`.
#[repr(C)]
pub struct Actions {
    pub abi: u32,
    pub send: unsafe extern "C" fn(*mut Env, u32, *const c_char, RawValue, *const c_char),
    pub answer: unsafe extern "C" fn(*mut Env, u64, RawValue),
    pub fact: unsafe extern "C" fn(*mut Env, *const c_char, RawValue),
    pub set_timer: unsafe extern "C" fn(*mut Env, *const c_char, u64),
    pub cancel_timer: unsafe extern "C" fn(*mut Env, *const c_char),
    pub write: unsafe extern "C" fn(*mut Env, RawValue, RawValue),
    pub flush: unsafe extern "C" fn(*mut Env),
    pub show: unsafe extern "C" fn(*mut Env, RawValue),
    pub fail: unsafe extern "C" fn(*mut Env, *const c_char, *const c_char),
    pub now: unsafe extern "C" fn(*const Env) -> u64,
}

/// A call without arguments.
pub type PlainCall = unsafe extern "C" fn(*mut c_void, *mut Env);
/// A call about a peer.
pub type PeerCall = unsafe extern "C" fn(*mut c_void, *mut Env, u32);

/// `shakedown_type`. A library may leave functions out, also those that are needed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawType {
    pub abi: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub kinds: *const c_char,
    pub boot: Option<unsafe extern "C" fn(*mut Env, *const RawBoot) -> *mut c_void>,
    pub receive: Option<unsafe extern "C" fn(*mut c_void, *mut Env, u32, *const c_char, RawValue)>,
    pub observe: Option<unsafe extern "C" fn(*const c_void, *mut Env)>,
    pub end: Option<unsafe extern "C" fn(*mut c_void)>,
    pub tick: Option<PlainCall>,
    pub fire: Option<unsafe extern "C" fn(*mut c_void, *mut Env, *const c_char)>,
    pub request: Option<unsafe extern "C" fn(*mut c_void, *mut Env, u64, RawValue)>,
    pub flushed: Option<PlainCall>,
    pub reconnected: Option<PeerCall>,
    pub disconnected: Option<PeerCall>,
}

/// The function that a library exports.
pub type Entry = unsafe extern "C" fn(*const Actions) -> *const RawType;
