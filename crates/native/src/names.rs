//! The names that a library uses, known by sight: messages of a few kinds come and go all the time.

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::rc::Rc;

use shakedown_cluster::{BadName, Name};

thread_local! {
    /// Names in both forms. There are at most as many as [`shakedown_cluster::INTERNED_MAX`].
    static KNOWN: RefCell<Vec<(Name, Rc<CStr>)>> = const { RefCell::new(Vec::new()) };
}

/// The name that a library wrote.
pub fn name_of(text: &CStr) -> Result<Name, BadName> {
    KNOWN.with_borrow_mut(|known| {
        if let Some((name, _)) = known.iter().find(|(_, written)| **written == *text) {
            return Ok(*name);
        }
        let name = Name::intern(&text.to_string_lossy())?;
        known.push((name, Rc::from(text)));
        Ok(name)
    })
}

/// The name as a library reads it.
pub fn text_of(name: Name) -> Rc<CStr> {
    KNOWN.with_borrow_mut(|known| {
        if let Some((_, text)) = known.iter().find(|(known, _)| *known == name) {
            return Rc::clone(text);
        }
        let text: Rc<CStr> = Rc::from(CString::new(name.as_str()).unwrap_or_default());
        known.push((name, Rc::clone(&text)));
        text
    })
}
