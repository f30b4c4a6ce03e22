//! Where the library of a language is, as the build file of a new project writes it.

use std::path::Path;

use super::Language;

impl Language {
    /// The library's folder in a checkout, and a file that it has.
    fn library(self) -> (&'static str, &'static str) {
        match self {
            Language::Go => ("clients/go", "go.mod"),
            Language::Java => ("clients/java", "pom.xml"),
            Language::Python => ("clients/python", "pyproject.toml"),
            Language::C => ("clients/c", "shakedown.h"),
            Language::Rust => ("crates/shakedown", "Cargo.toml"),
        }
    }
}

/// What stands for the library in the build file of a project; the folder is an absolute path.
pub(super) fn library_text(language: Language, folder: Option<&Path>) -> Result<String, String> {
    let (place, marker) = language.library();
    let Some(folder) = folder else { return by_name(language, place) };
    if !folder.join(marker).is_file() {
        let folder = folder.display();
        return Err(format!("--library: {folder} has no {marker}: name {place} of a checkout of Shakedown"));
    }
    let unusable = |why: &str| format!("--library: the path {} {why}", folder.display());
    let path = folder.to_str().ok_or_else(|| unusable("is no UTF-8"))?;
    if path.contains(char::is_control) {
        return Err(unusable("has control characters"));
    }
    // Paths in TOML and in go.mod stand in quotes: what would end them is written as an escape.
    match language {
        Language::Go => Ok(format!("\nreplace shakedown.dev/go => {path:?}\n")),
        Language::Rust => Ok(format!("{{ path = {path:?}, features = [\"cli\"] }}")),
        Language::Java if path.contains("${") => Err(unusable("has `${`, which Maven would replace")),
        Language::Java => Ok(path.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")),
        Language::Python => Ok(file_address(path)),
        Language::C if path.contains(['"', '\\', '`', '#']) => {
            Err(unusable("has a quote, a backslash or `#`, which a Makefile cannot hold"))
        }
        // Make turns two dollars into one, and the shell would take that for a variable.
        Language::C if path.contains('$') => Err(unusable("has `$`, which a shell would replace")),
        Language::C => Ok(path.to_owned()),
    }
}

/// A library that its build tool finds by name and version; most are not published.
fn by_name(language: Language, place: &str) -> Result<String, String> {
    match language {
        Language::Go => Ok(String::new()),
        Language::Rust => {
            Ok(format!("{{ version = \"{}\", features = [\"cli\"] }}", env!("CARGO_PKG_VERSION")))
        }
        Language::Java | Language::Python | Language::C => Err(format!(
            "the library for this language is not published: add `--library DIR`, the folder {place} of a checkout of Shakedown"
        )),
    }
}

/// The address of a local file. Pip takes the folder that it names, and nothing from an index.
fn file_address(path: &str) -> String {
    let mut address = String::from("file://");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}
