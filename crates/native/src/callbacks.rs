//! What a library calls while it is called: its actions, each written down for later.
#![expect(unsafe_code, reason = "addresses that come from another language")]

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::rc::Rc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shakedown_cluster::{Fact, Name, Value as FactValue};
use shakedown_remote::{Encoding, Packed, Pairs, PlainMessage, Value, decode};

use crate::abi::{ABI, Actions, Env, RawValue};
use crate::collected::{Collected, DiskChange, Timer};
use crate::names::name_of;

/// The longest text that a library may give a message, or report as a failure, in characters.
const TEXT_MAX: usize = 4000;
/// The value of no bytes.
const NULL: &[u8] = &[0xc0];

/// The functions that every library gets.
pub static ACTIONS: Actions =
    Actions { abi: ABI, send, answer, fact, set_timer, cancel_timer, write, flush, show, fail, now };

/// The call that is under way. Nothing if there is none: the library holds on to an address that it should
/// have forgotten.
///
/// # Safety
///
/// The address is the one that the library got with a call, on the same thread. What it belongs to lives as
/// long as the thread.
unsafe fn collected<'a>(env: *mut Env) -> Option<&'a mut Collected> {
    // SAFETY: the caller promises it; the header does in turn.
    let collected = unsafe { env.cast::<Collected>().as_mut() }?;
    if !collected.is_active {
        collected.refuse("uses the env of a call that is over".to_owned());
        return None;
    }
    Some(collected)
}

/// # Safety
///
/// The bytes are there during the call.
unsafe fn bytes_of<'a>(value: RawValue) -> &'a [u8] {
    if value.data.is_null() || value.length == 0 {
        return NULL;
    }
    // SAFETY: the header demands that the bytes are there.
    unsafe { std::slice::from_raw_parts(value.data, value.length) }
}

/// # Safety
///
/// The text is null, or ends with a zero byte and is there during the call.
unsafe fn text_of<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the header demands it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// A text, or the beginning of a long one.
fn shown(text: &CStr) -> Cow<'_, str> {
    let text = text.to_string_lossy();
    if text.len() <= TEXT_MAX {
        return text;
    }
    match text.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => Cow::Owned(text[..end].to_owned()),
        None => text,
    }
}

/// The name that a library wrote; a bad one is a failure of the node.
fn named(collected: &mut Collected, what: &str, text: Option<&CStr>) -> Option<Name> {
    let name = name_of(text.unwrap_or_default());
    name.map_err(|error| collected.refuse(format!("the name of {what} is bad: {error}"))).ok()
}

/// The value that a library wrote; one that cannot be read is a failure of the node.
fn read<T: DeserializeOwned>(collected: &mut Collected, what: &str, bytes: &[u8]) -> Option<T> {
    let value = decode(Encoding::MsgPack, bytes);
    value.map_err(|error| collected.refuse(format!("{what} cannot be read: {error}"))).ok()
}

unsafe extern "C" fn send(
    env: *mut Env,
    to: u32,
    kind: *const c_char,
    message: RawValue,
    text: *const c_char,
) {
    // SAFETY: as the header demands, for all four.
    let (Some(collected), kind, bytes, text) =
        (unsafe { (collected(env), text_of(kind), bytes_of(message), text_of(text)) })
    else {
        return;
    };
    let Some(kind) = named(collected, "a kind of message", kind) else { return };
    match Packed::new(bytes) {
        Ok(contents) => {
            let text = text.map(|text| Rc::from(shown(text)));
            collected.send(to, PlainMessage::packed(kind, contents, text));
        }
        Err(error) => collected.refuse(format!("sends a {kind} that cannot be read: {error}")),
    }
}

unsafe extern "C" fn answer(env: *mut Env, id: u64, answer: RawValue) {
    // SAFETY: as the header demands.
    let (Some(collected), bytes) = (unsafe { (collected(env), bytes_of(answer)) }) else { return };
    let Ok(id) = u32::try_from(id) else {
        return collected.refuse(format!("answers request {id}, which does not exist"));
    };
    if let Some(answer) = read(collected, "an answer", bytes) {
        collected.answers.push((id, answer));
    }
}

unsafe extern "C" fn fact(env: *mut Env, name: *const c_char, fields: RawValue) {
    // SAFETY: as the header demands.
    let (Some(collected), name, bytes) = (unsafe { (collected(env), text_of(name), bytes_of(fields)) })
    else {
        return;
    };
    let Some(name) = named(collected, "a fact", name) else { return };
    let Some(Pairs(fields)) = read::<Pairs<Value>>(collected, "the fields of a fact", bytes) else { return };
    let mut fact = Fact::new(name.as_str());
    for (field, value) in fields {
        let field = match Name::intern(&field) {
            Ok(field) => field.as_str(),
            Err(error) => return collected.refuse(format!("the name of a field of a fact is bad: {error}")),
        };
        fact = match value {
            Value::Integer(number) => fact.with(field, number),
            Value::Large(number) => fact.with(field, number),
            Value::Truth(truth) => fact.with(field, truth),
            Value::Text(text) => fact.with(field, FactValue::from(text)),
            _ => {
                return collected
                    .refuse(format!("the field `{field}` of a fact is no number, truth value or text"));
            }
        };
    }
    collected.facts.push(fact);
}

unsafe extern "C" fn set_timer(env: *mut Env, timer: *const c_char, ticks: u64) {
    // SAFETY: as the header demands.
    let (Some(collected), timer) = (unsafe { (collected(env), text_of(timer)) }) else { return };
    if let Some(timer) = named(collected, "a timer", timer) {
        collected.timers.push(Timer::Set(timer, ticks));
    }
}

unsafe extern "C" fn cancel_timer(env: *mut Env, timer: *const c_char) {
    // SAFETY: as the header demands.
    let (Some(collected), timer) = (unsafe { (collected(env), text_of(timer)) }) else { return };
    if let Some(timer) = named(collected, "a timer", timer) {
        collected.timers.push(Timer::Cancel(timer));
    }
}

/// A list of texts, or nothing.
#[derive(Deserialize)]
struct Keys(Option<Vec<String>>);

/// A map, or nothing.
#[derive(Deserialize)]
struct MaybePairs(Option<Pairs<Value>>);

unsafe extern "C" fn write(env: *mut Env, put: RawValue, remove: RawValue) {
    // SAFETY: as the header demands.
    let (Some(collected), put, remove) = (unsafe { (collected(env), bytes_of(put), bytes_of(remove)) })
    else {
        return;
    };
    let put: Option<MaybePairs> = read(collected, "what is written to disk", put);
    let remove: Option<Keys> = read(collected, "the keys that are removed from disk", remove);
    if let (Some(MaybePairs(put)), Some(Keys(remove))) = (put, remove) {
        let put = put.map(|Pairs(put)| put).unwrap_or_default();
        collected.disk.push(DiskChange::Write { put, delete: remove.unwrap_or_default() });
    }
}

unsafe extern "C" fn flush(env: *mut Env) {
    // SAFETY: as the header demands.
    if let Some(collected) = unsafe { collected(env) } {
        collected.disk.push(DiskChange::Flush);
    }
}

unsafe extern "C" fn show(env: *mut Env, fields: RawValue) {
    // SAFETY: as the header demands.
    if let (Some(collected), bytes) = unsafe { (collected(env), bytes_of(fields)) } {
        collected.state.clear();
        collected.state.extend_from_slice(bytes);
    }
}

unsafe extern "C" fn fail(env: *mut Env, message: *const c_char, place: *const c_char) {
    // SAFETY: as the header demands.
    if let (Some(collected), message, place) = unsafe { (collected(env), text_of(message), text_of(place)) } {
        let [message, place] = [message, place].map(|text| shown(text.unwrap_or_default()).into_owned());
        collected.fail(message, place);
    }
}

unsafe extern "C" fn now(env: *const Env) -> u64 {
    // SAFETY: as the header demands.
    unsafe { collected(env.cast_mut()) }.map_or(0, |collected| collected.now)
}
