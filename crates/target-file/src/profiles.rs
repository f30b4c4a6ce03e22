//! `[profile.NAME]`: settings of the command `run`, by name. What options there are is the command line's own
//! affair; here they are names and values with their places in the file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::{Spanned, Value};

use crate::located::error_at;
use crate::{BadTargetFile, VERSION, text_of};

/// A profile of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Its settings, by name.
    pub settings: Vec<ProfileSetting>,
}

/// A setting of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSetting {
    /// The name of an option of `run`, without dashes, or `target`.
    pub name: String,
    /// Its value.
    pub value: ProfileValue,
    /// Where it stands, as in `line 3, column 1`.
    pub place: String,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileValue {
    /// Whether the option is given, for one that takes no value.
    Given(bool),
    /// One value, or several.
    Values(Vec<String>),
}

/// The sections of a file that matter here: others are those of a target.
#[derive(Deserialize)]
struct ProfileFile {
    version: Spanned<u32>,
    #[serde(default)]
    profile: BTreeMap<String, BTreeMap<Spanned<String>, Spanned<Value>>>,
}

/// Reads the profiles of a file.
pub fn load_profiles(file: &Path) -> Result<Vec<Profile>, BadTargetFile> {
    let malformed = |reason: String| BadTargetFile::Malformed { file: file.to_owned(), reason };
    read_profiles(&text_of(file)?).map_err(malformed)
}

/// Reads the profiles of the text of a file.
pub fn read_profiles(text: &str) -> Result<Vec<Profile>, String> {
    let file: ProfileFile = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    let version = file.version.get_ref();
    if *version != VERSION {
        let reason = format!("`version` is {version}: this program reads version {VERSION}");
        return Err(error_at(text, &file.version, reason));
    }
    let mut profiles = Vec::new();
    for (name, settings) in file.profile {
        let mut read = Vec::new();
        for (setting, value) in settings {
            let place = error_at(text, &setting, "");
            let place = place.trim_end_matches([':', ' ']).to_owned();
            let described = || format!("profile `{name}`: `{}`", setting.get_ref());
            let value = value_of(value.get_ref())
                .ok_or_else(|| error_at(text, &value, format!("{} has no such values", described())))?;
            read.push(ProfileSetting { name: setting.get_ref().clone(), value, place });
        }
        profiles.push(Profile { name, settings: read });
    }
    Ok(profiles)
}

/// Whether a file has profiles and describes no target.
pub(crate) fn has_profiles_only(text: &str) -> bool {
    let table: Option<toml::Table> = toml::from_str(text).ok();
    table.is_some_and(|table| {
        table.contains_key("profile") && table.keys().all(|key| key == "version" || key == "profile")
    })
}

/// A value as the command line takes it; nothing for what has no form there.
fn value_of(value: &Value) -> Option<ProfileValue> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(is_on) => Some(is_on.to_string()),
        _ => None,
    };
    Some(match value {
        Value::Boolean(is_given) => ProfileValue::Given(*is_given),
        Value::Array(values) => ProfileValue::Values(values.iter().map(one).collect::<Option<_>>()?),
        Value::Table(values) => {
            let pairs = values.iter().map(|(name, value)| Some(format!("{name}={}", one(value)?)));
            ProfileValue::Values(pairs.collect::<Option<_>>()?)
        }
        value => ProfileValue::Values(vec![one(value)?]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_with_their_places() {
        let text =
            "version = 1\n[profile.night]\nexecutions = 9\nkeep-going = true\nset = { a = 1, b = \"x\" }\n";
        let [night] = &read_profiles(text).expect("it is right")[..] else { panic!("one profile") };
        assert_eq!(night.name, "night");
        let found: Vec<_> =
            night.settings.iter().map(|it| (it.name.as_str(), &it.value, it.place.as_str())).collect();
        let values = |values: &[&str]| ProfileValue::Values(values.iter().map(ToString::to_string).collect());
        assert_eq!(
            found,
            [
                ("executions", &values(&["9"]), "line 3, column 1"),
                ("keep-going", &ProfileValue::Given(true), "line 4, column 1"),
                ("set", &values(&["a=1", "b=x"]), "line 5, column 1"),
            ]
        );
        assert!(has_profiles_only(text));
        assert!(!has_profiles_only("version = 1\n[target]\nname = 'x'\n[profile.a]\n"));
    }

    #[test]
    fn what_is_wrong_with_a_profile_has_a_place() {
        for (text, error) in [
            ("version = 2\n[profile.a]\n", "line 1, column 11: `version` is 2"),
            (
                "version = 1\n[profile.a]\nset = [[1]]\n",
                "line 3, column 7: profile `a`: `set` has no such values",
            ),
            ("[profile.a]\n", "version"),
        ] {
            let found = read_profiles(text).expect_err("it is wrong");
            assert!(found.contains(error), "{found}");
        }
    }
}
