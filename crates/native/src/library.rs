//! A shared library that was loaded.
#![expect(unsafe_code, reason = "loading a library runs its code")]

use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};

use crate::abi::{ABI, ENTRY, Entry, Env, PeerCall, PlainCall, RawBoot, RawType, RawValue};
use crate::callbacks::ACTIONS;

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the library `{}` cannot be used: {reason}", .file.display())]
pub struct CannotLoad {
    /// The file.
    pub file: PathBuf,
    /// Why not.
    pub reason: String,
}

/// An error with what caused it: the loader's own is "dlopen failed" without it.
fn whole_reason(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The functions of a library; those that may be missing are options.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    pub boot: unsafe extern "C" fn(*mut Env, *const RawBoot) -> *mut c_void,
    pub receive: unsafe extern "C" fn(*mut c_void, *mut Env, u32, *const c_char, RawValue),
    pub observe: unsafe extern "C" fn(*const c_void, *mut Env),
    pub end: unsafe extern "C" fn(*mut c_void),
    pub tick: Option<PlainCall>,
    pub fire: Option<unsafe extern "C" fn(*mut c_void, *mut Env, *const c_char)>,
    pub request: Option<unsafe extern "C" fn(*mut c_void, *mut Env, u64, RawValue)>,
    pub flushed: Option<PlainCall>,
    pub reconnected: Option<PeerCall>,
    pub disconnected: Option<PeerCall>,
}

/// A shared library that holds nodes. It stays loaded until the process ends: whatever it has started may
/// still run its code.
pub struct Library {
    functions: Functions,
    name: String,
    version: String,
    kinds: Vec<String>,
}

impl Library {
    /// Loads a file. **This runs code of it**: only load what you would run.
    pub fn load(file: &Path) -> Result<Library, CannotLoad> {
        let cannot = |reason: String| CannotLoad { file: file.to_owned(), reason };
        // A name without a slash would be looked for in the system's folders.
        let path = std::path::absolute(file).map_err(|error| cannot(error.to_string()))?;
        // SAFETY: code of the library runs now; the caller chose the file, and the header demands that
        // loading it does no harm.
        let library =
            unsafe { libloading::Library::new(&path) }.map_err(|error| cannot(whole_reason(&error)))?;
        // The addresses below stay good.
        let library = std::mem::ManuallyDrop::new(library);
        // SAFETY: the header gives the function of this name this type.
        let entry = unsafe { library.get::<Entry>(ENTRY) };
        let entry = entry.map_err(|_| cannot("it exports no function `shakedown_node_type`".to_owned()))?;
        // SAFETY: the function is there, and the actions last for ever.
        let declared = unsafe { entry(&raw const ACTIONS).as_ref() };
        let declared =
            declared.ok_or_else(|| cannot(format!("it does not know version {ABI} of the C interface")))?;
        if declared.abi != ABI {
            let abi = declared.abi;
            return Err(cannot(format!(
                "it was built for version {abi} of the C interface; this is version {ABI}"
            )));
        }
        // SAFETY: a library that says so has this version's type in place, with texts that last.
        let texts = unsafe { [text(declared.name), text(declared.version), text(declared.kinds)] };
        let [name, version, kinds] = texts;
        let missing = |what: &str| cannot(format!("it declares no {what}"));
        Ok(Library {
            functions: needed(declared).map_err(missing)?,
            name: name.ok_or_else(|| missing("name"))?,
            version: version.ok_or_else(|| missing("version"))?,
            kinds: kinds.unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        })
    }

    pub(crate) fn functions(&self) -> &Functions {
        &self.functions
    }

    /// What is under test.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The kinds of messages that it declares.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// The optional calls that it hears, by the names of the node protocol.
    pub fn calls(&self) -> Vec<&'static str> {
        let Functions { tick, fire, request, flushed, reconnected, disconnected, .. } = self.functions;
        let all = [
            ("tick", tick.is_some()),
            ("fire", fire.is_some()),
            ("request", request.is_some()),
            ("flushed", flushed.is_some()),
            ("reconnected", reconnected.is_some()),
            ("disconnected", disconnected.is_some()),
        ];
        all.into_iter().filter(|(_, heard)| *heard).map(|(name, _)| name).collect()
    }
}

fn needed(declared: &RawType) -> Result<Functions, &'static str> {
    Ok(Functions {
        boot: declared.boot.ok_or("function `boot`")?,
        receive: declared.receive.ok_or("function `receive`")?,
        observe: declared.observe.ok_or("function `observe`")?,
        end: declared.end.ok_or("function `end`")?,
        tick: declared.tick,
        fire: declared.fire,
        request: declared.request,
        flushed: declared.flushed,
        reconnected: declared.reconnected,
        disconnected: declared.disconnected,
    })
}

/// # Safety
///
/// The text is null or ends with a zero byte.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: the caller promises it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
