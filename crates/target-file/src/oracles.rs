//! `[oracles]`: properties by name, over the states that nodes show and what clients asked and were answered.

mod agreement;
mod linearizable;
mod raft;

use serde::Deserialize;
use shakedown_check::objects::Object;
use shakedown_check::{Agreement, DecidedNeverGoesBack, Oracle, Transactions};
use shakedown_histories::{MODELS, Model};
use shakedown_rafts::raft_invariants;
use shakedown_remote::PlainState;
use toml::Spanned;

use agreement::{AgreementTable, DecidedLog};
use linearizable::Objects;
pub(crate) use linearizable::{Mapped, OperationOf, Operations};
use raft::RaftTable;

use crate::switch::Switch;
use crate::through::Through;

/// `[oracles]`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OracleTables {
    agreement: Switch<AgreementTable>,
    raft: Switch<RaftTable>,
    linearizability: Option<Spanned<Switch<ObjectTable>>>,
    transactions: Option<TransactionModel>,
}

/// `linearizability = { object = "register" }`.
#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ObjectTable {
    pub object: Option<ObjectName>,
    /// What is read before anything was written, as JSON.
    pub initial: Option<Spanned<String>>,
}

/// The name of an object.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
pub(crate) struct ObjectName(pub Object);

impl TryFrom<String> for ObjectName {
    type Error = String;

    fn try_from(name: String) -> Result<ObjectName, String> {
        let known: Vec<_> = Object::ALL.iter().map(|(name, ..)| *name).collect();
        let object = Object::of(&name).map(ObjectName);
        object.ok_or_else(|| format!("there is no object `{name}`: there are {}", known.join(", ")))
    }
}

/// The name of a consistency model, such as `strict-serializable`.
#[derive(Deserialize, Clone)]
#[serde(try_from = "String")]
struct TransactionModel(String);

impl TryFrom<String> for TransactionModel {
    type Error = String;

    fn try_from(name: String) -> Result<TransactionModel, String> {
        if Model::of(&name).is_some() {
            return Ok(TransactionModel(name));
        }
        let known: Vec<_> = MODELS.iter().map(|model| model.name).collect();
        Err(format!("there is no consistency model `{name}`: there are {}", known.join(", ")))
    }
}

/// The oracles of a target file by name.
pub(crate) struct Oracles {
    tables: OracleTables,
    objects: Option<Objects>,
}

impl Oracles {
    /// The oracles of these tables; `operations` is how requests and answers are read, `file` the text that
    /// the tables stand in.
    pub fn new(tables: OracleTables, operations: Operations, file: &str) -> Result<Oracles, String> {
        let objects = match &tables.linearizability {
            Some(spanned) => match &spanned.get_ref().0 {
                Some(table) => Some(Objects::new(spanned, table, operations, file)?),
                None => None,
            },
            None => None,
        };
        Ok(Oracles { tables, objects })
    }

    /// Fresh oracles for one execution.
    pub fn make(&self) -> Vec<Box<dyn Oracle<PlainState>>> {
        let mut made: Vec<Box<dyn Oracle<PlainState>>> = Vec::new();
        if let Some(table) = &self.tables.agreement.0 {
            let agree: Box<dyn Oracle<DecidedLog>> = Box::new(Agreement::default());
            for oracle in [agree, Box::new(DecidedNeverGoesBack::default())] {
                let table = table.clone();
                made.push(Box::new(Through::new(oracle, move |state| table.view(state))));
            }
        }
        if let Some(table) = &self.tables.raft.0 {
            for oracle in raft_invariants() {
                let table = table.clone();
                made.push(Box::new(Through::new(oracle, move |state| table.view(state))));
            }
        }
        made.extend(self.objects.as_ref().map(Objects::oracle));
        made.extend(self.tables.transactions.as_ref().map(|TransactionModel(name)| {
            let oracle: Box<dyn Oracle<PlainState>> = Box::new(Transactions::new(name));
            oracle
        }));
        made
    }
}
