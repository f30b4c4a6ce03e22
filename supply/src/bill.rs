//! A bill of materials: CycloneDX 1.5, JSON. It has neither a time nor a random serial number, so that two
//! builds of the same sources have the same one.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::metadata::{Metadata, Package};

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// The SHA-256 of packages by name and version, from a lock file.
pub(crate) fn checksums(path: &Path) -> crate::Result<HashMap<(String, String), String>> {
    let lock: Lock = toml::from_str(&std::fs::read_to_string(path)?)?;
    let with_checksum = |locked: Locked| Some(((locked.name, locked.version), locked.checksum?));
    Ok(lock.package.into_iter().filter_map(with_checksum).collect())
}

/// The bill of one package and everything that it is built from.
pub(crate) fn of(metadata: &Metadata, product: &str, checksums: &HashMap<(String, String), String>) -> Value {
    let needed = metadata.needed_by(product);
    let mut packages: Vec<&Package> =
        metadata.packages.iter().filter(|package| needed.contains(&package.id)).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let names: HashMap<&str, String> = packages.iter().map(|package| (&*package.id, purl(package))).collect();
    let (whole, parts): (Vec<&Package>, Vec<&Package>) =
        packages.iter().partition(|package| package.name == product);
    let dependencies = packages.iter().map(|package| {
        let mut needs: Vec<&String> =
            metadata.needs(&package.id).into_iter().filter_map(|id| names.get(id)).collect();
        needs.sort();
        json!({ "ref": purl(package), "dependsOn": needs })
    });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": whole.first().map(|package| component(package, "application", checksums)) },
        "components": parts.iter().map(|package| component(package, "library", checksums)).collect::<Vec<_>>(),
        "dependencies": dependencies.collect::<Vec<_>>(),
    })
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn component(package: &Package, kind: &str, checksums: &HashMap<(String, String), String>) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(package),
        "name": package.name,
        "version": package.version.to_string(),
        "purl": purl(package),
        "scope": "required",
    });
    if let Some(text) = &package.license {
        // Old packages separate licences by a slash, which SPDX does not know.
        component["licenses"] = json!([{ "expression": text.replace('/', " OR ") }]);
    }
    if let Some(sum) = checksums.get(&(package.name.clone(), package.version.to_string())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    if let Some(text) = &package.description {
        component["description"] = json!(text.trim());
    }
    if let Some(url) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": url }]);
    }
    component
}
