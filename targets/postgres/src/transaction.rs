//! A transaction of a workload, in SQL.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::{Connection, Failure};

/// An isolation level of PostgreSQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are what their names are")]
pub enum Isolation {
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    const ALL: [(&'static str, Isolation, &'static str); 3] = [
        ("read-committed", Isolation::ReadCommitted, "READ COMMITTED"),
        ("repeatable-read", Isolation::RepeatableRead, "REPEATABLE READ"),
        ("serializable", Isolation::Serializable, "SERIALIZABLE"),
    ];
}

impl FromStr for Isolation {
    type Err = String;

    fn from_str(text: &str) -> Result<Isolation, String> {
        let known = Isolation::ALL.iter().find(|(name, ..)| *name == text).map(|(_, level, _)| *level);
        known.ok_or_else(|| "it is one of read-committed, repeatable-read, serializable".to_owned())
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Isolation::ALL.iter().find(|(_, level, _)| level == self);
        f.write_str(known.map_or("", |(_, _, sql)| sql))
    }
}

/// What the rows of the table hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Lists of numbers, as text.
    Lists,
    /// Single numbers, as text.
    Registers,
}

/// Makes the table anew.
pub fn create(connection: &mut Connection) -> Result<(), Failure> {
    connection
        .query("DROP TABLE IF EXISTS kept; CREATE TABLE kept (k bigint PRIMARY KEY, v text NOT NULL)")?;
    Ok(())
}

/// Runs a transaction: operations such as `["append", 3, 1]` and `["r", 3, null]`. Gives them with what reads
/// returned, or nothing if the server has aborted it.
pub(crate) fn run(
    connection: &mut Connection,
    isolation: Isolation,
    table: Table,
    ops: &Value,
) -> Result<Option<Value>, Failure> {
    match commit(connection, isolation, table, ops) {
        Err(Failure::Refused { .. }) => {
            connection.query("ROLLBACK")?;
            Ok(None)
        }
        result => result,
    }
}

fn commit(
    connection: &mut Connection,
    isolation: Isolation,
    table: Table,
    ops: &Value,
) -> Result<Option<Value>, Failure> {
    connection.query(&format!("BEGIN ISOLATION LEVEL {isolation}"))?;
    let mut done = Vec::new();
    for op in ops.as_array().into_iter().flatten() {
        let (name, key) = (op[0].as_str().unwrap_or_default(), op[1].as_u64().unwrap_or_default());
        if name == "r" {
            let (rows, _) = connection.query(&format!("SELECT v FROM kept WHERE k = {key}"))?;
            let held = rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
            done.push(json!(["r", key, returned(table, held.as_deref())]));
        } else {
            let value = op[2].as_u64().unwrap_or_default();
            let update = match table {
                Table::Lists => format!("kept.v || ' {value}'"),
                Table::Registers => format!("'{value}'"),
            };
            connection.query(&format!(
                "INSERT INTO kept VALUES ({key}, '{value}') ON CONFLICT (k) DO UPDATE SET v = {update}"
            ))?;
            done.push(op.clone());
        }
    }
    let (_, tag) = connection.query("COMMIT")?;
    Ok((tag == "COMMIT").then_some(Value::Array(done)))
}

/// What a row holds, as a history has it.
fn returned(table: Table, held: Option<&str>) -> Value {
    let number = |text: &str| text.parse::<u64>().map_or_else(|_| json!(text), Value::from);
    match (table, held) {
        (Table::Lists, held) => held.unwrap_or_default().split_whitespace().map(number).collect(),
        (Table::Registers, held) => held.map_or(Value::Null, number),
    }
}
