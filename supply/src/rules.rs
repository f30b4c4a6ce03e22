//! The rules of `deny.toml`: that part of cargo-deny's format which is used here.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::metadata::{Metadata, Package};

/// What packages may be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Bans {
    multiple_versions: Level,
    wildcards: Level,
    deny: Vec<Named>,
    skip: Vec<Named>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Sources {
    unknown_registry: Level,
    unknown_git: Level,
    allow_registry: Vec<String>,
}

/// All rules that are here forbid.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Deny,
}

/// A package, perhaps with the beginning of its version, as in `rand@0.8`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    #[serde(rename = "crate")]
    package: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for those who read the file")]
    reason: String,
}

impl Named {
    fn is(&self, package: &Package) -> bool {
        let (name, version) = self.package.split_once('@').unwrap_or((&self.package, ""));
        let found = package.version.to_string();
        let rest = found.strip_prefix(version);
        name == package.name
            && rest.is_some_and(|rest| version.is_empty() || rest.is_empty() || rest.starts_with('.'))
    }
}

impl Rules {
    /// Of a file.
    pub fn read(path: &Path) -> crate::Result<Rules> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Rules::parse(&text)
    }

    fn parse(text: &str) -> crate::Result<Rules> {
        let rules: Rules = toml::from_str(text)?;
        // There is one level; the fields are read so that a file with another one is refused.
        let (Level::Deny, Level::Deny) = (&rules.bans.multiple_versions, &rules.bans.wildcards);
        let (Level::Deny, Level::Deny) = (&rules.sources.unknown_registry, &rules.sources.unknown_git);
        Ok(rules)
    }

    /// Everything that breaks a rule, a sentence each.
    pub fn faults(&self, metadata: &Metadata) -> Vec<String> {
        let mut faults = Vec::new();
        for package in &metadata.packages {
            faults.extend(self.licence_fault(package));
            faults.extend(self.source_fault(package));
            if self.bans.deny.iter().any(|named| named.is(package)) {
                faults.push(format!("{} {} is banned", package.name, package.version));
            }
            let wild =
                package.dependencies.iter().filter(|wanted| wanted.req == "*" && wanted.source.is_some());
            if package.source.is_none() {
                faults.extend(
                    wild.map(|wanted| format!("{} takes any version of {}", package.name, wanted.name)),
                );
            }
        }
        faults.extend(self.doubles(metadata));
        faults
    }

    fn licence_fault(&self, package: &Package) -> Option<String> {
        let Package { name, version, .. } = package;
        let Some(text) = &package.license else { return Some(format!("{name} {version} names no licence")) };
        let expression = match spdx::Expression::parse_mode(text, spdx::ParseMode::LAX) {
            Ok(expression) => expression,
            Err(error) => return Some(format!("{name} {version}: `{text}`: {}", error.reason)),
        };
        let is_allowed = expression.evaluate(|required| {
            let named =
                required.license.id().is_some_and(|id| self.licenses.allow.iter().any(|one| one == id.name));
            named && required.addition.is_none()
        });
        (!is_allowed).then(|| format!("{name} {version}: the licence `{text}` is not allowed"))
    }

    fn source_fault(&self, package: &Package) -> Option<String> {
        let source = package.source.as_deref()?;
        let registry = source.strip_prefix("registry+");
        let is_known = registry.is_some_and(|url| self.sources.allow_registry.iter().any(|one| one == url));
        (!is_known).then(|| format!("{} {} comes from {source}", package.name, package.version))
    }

    /// Packages of which there are two versions, without those that are known.
    fn doubles(&self, metadata: &Metadata) -> Vec<String> {
        let mut versions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for package in &metadata.packages {
            if !self.bans.skip.iter().any(|named| named.is(package)) {
                versions.entry(&package.name).or_default().push(package.version.to_string());
            }
        }
        versions.retain(|_, versions| versions.len() > 1);
        versions
            .iter()
            .map(|(name, versions)| format!("{name} is there twice: {}", versions.join(", ")))
            .collect()
    }

    /// Exceptions that nothing needs any more.
    pub fn unused(&self, metadata: &Metadata) -> Vec<String> {
        let count = |name: &str| metadata.packages.iter().filter(|package| package.name == name).count();
        let is_needed = |named: &&Named| {
            metadata.packages.iter().any(|package| named.is(package) && count(&package.name) > 1)
        };
        let unused = self.bans.skip.iter().filter(|named| !is_needed(named));
        unused.map(|named| format!("deny.toml skips {}, and nothing needs that", named.package)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULES: &str = r#"
        [licenses]
        allow = ["MIT", "Unicode-3.0"]
        [bans]
        multiple-versions = "deny"
        wildcards = "deny"
        deny = [{ crate = "evil" }]
        skip = [{ crate = "old@0.2", reason = "known" }]
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
        allow-registry = ["https://index"]
    "#;

    fn faults(packages: &[(&str, &str, Option<&str>, &str)]) -> Vec<String> {
        let package = |(name, version, license, source): &(&str, &str, Option<&str>, &str)| {
            json!({
                "name": name, "version": version, "id": format!("{name} {version}"), "license": license,
                "source": source, "manifest_path": "", "dependencies": [],
            })
        };
        let packages: Vec<_> = packages.iter().map(package).collect();
        let metadata = json!({ "packages": packages, "resolve": { "nodes": [] }, "workspace_root": "" });
        let metadata = serde_json::from_value(metadata).unwrap();
        Rules::parse(RULES).unwrap().faults(&metadata)
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_a_fault() {
        let index = "registry+https://index";
        assert_eq!(faults(&[("a", "1.0.0", Some("MIT OR GPL-3.0-only"), index)]), Vec::<String>::new());
        assert_eq!(
            faults(&[("a", "1.0.0", Some("(MIT OR GPL-2.0-only) AND Unicode-3.0"), index)]),
            Vec::<String>::new()
        );
        for licence in [Some("GPL-3.0-only"), Some("MIT AND GPL-3.0-only"), Some("what you like"), None] {
            assert_eq!(faults(&[("a", "1.0.0", licence, index)]).len(), 1, "{licence:?}");
        }
    }

    #[test]
    fn foreign_sources_bans_and_second_versions_are_faults() {
        let index = "registry+https://index";
        assert_eq!(faults(&[("a", "1.0.0", Some("MIT"), "git+https://x/y")]).len(), 1);
        assert_eq!(faults(&[("evil", "1.0.0", Some("MIT"), index)]), ["evil 1.0.0 is banned"]);
        let twice =
            |one, other| faults(&[("old", one, Some("MIT"), index), ("old", other, Some("MIT"), index)]);
        assert_eq!(twice("0.2.7", "1.0.0"), Vec::<String>::new());
        assert_eq!(twice("0.22.0", "1.0.0"), ["old is there twice: 0.22.0, 1.0.0"]);
    }
}
