//! What stands in `[model]`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// `[model]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelTable {
    /// The file of the root module.
    pub spec: Spanned<String>,
    /// The files of further modules.
    #[serde(default)]
    pub modules: Vec<Spanned<String>>,
    /// The file of the configuration.
    pub config: Spanned<String>,
    /// A definition of what matters of a state, for coverage.
    pub abstraction: Option<String>,
    /// Constants that follow from the number of nodes.
    #[serde(default)]
    pub constants: BTreeMap<String, Spanned<String>>,
    /// What can be seen of the specification's variables.
    #[serde(default)]
    pub state: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub action: Vec<ActionTable>,
}

/// `[[model.action]]`: what stands for an action.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionTable {
    pub on: Spanned<String>,
    pub action: Spanned<String>,
    /// What holds before it.
    pub when: Option<Spanned<String>>,
    /// What holds after it.
    pub after: Option<Spanned<String>>,
    #[serde(default)]
    pub arguments: Vec<Spanned<String>>,
    /// For `conform`: whom the request of this action goes to.
    pub node: Option<Spanned<String>>,
    /// For `conform`: the request of this action.
    pub request: Option<Spanned<String>>,
}
