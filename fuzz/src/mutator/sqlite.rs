//! Changes of an SQLite file: of the value of a cell, and of whole pages.

use std::fs;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::{HOSTILE_TEXTS, bytes, json};
use crate::Random;

const PAGE: usize = 4096;

/// The file with a cell, a page or the header changed; nothing if SQLite cannot read it.
pub(crate) fn mutate(input: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    match random.below(4) {
        0 => Some(pages(input, random)),
        1 => Some(header(input, random)),
        _ => cell(input, random),
    }
}

/// Pages that change places, are emptied, or are written in half.
fn pages(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = input.to_vec();
    let count = file.len() / PAGE;
    if count < 2 {
        return bytes::mutate(input, input, random);
    }
    let (one, other) = (random.below(count) * PAGE, random.below(count) * PAGE);
    match random.below(4) {
        0 => file[one..one + PAGE].fill(0),
        1 => file.copy_within(one..one + PAGE, other),
        2 => file.copy_within(one..one + PAGE / 2, other),
        _ => file.truncate(one + random.below(PAGE)),
    }
    file
}

/// The first hundred bytes say what the file is, and how large.
fn header(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = input.to_vec();
    let field = random.below(100.min(file.len().saturating_sub(4)));
    let value = *random.pick(&[0u32, 1, 2, 0x7fff_ffff, u32::MAX, 512, 65_536]);
    if file.len() >= field + 4 {
        file[field..field + 4].copy_from_slice(&value.to_be_bytes());
    }
    file
}

/// A value in a row of a table, changed by its kind: JSON by its tree, everything else by its bytes.
fn cell(input: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("store");
    fs::write(&path, input).ok()?;
    {
        let connection = Connection::open(&path).ok()?;
        connection.pragma_update(None, "journal_mode", "delete").ok()?;
        change_cell(&connection, random).ok()?;
    }
    fs::read(&path).ok()
}

fn change_cell(connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
    let list = |query: &str| -> rusqlite::Result<Vec<String>> {
        connection.prepare(query)?.query_map([], |row| row.get(0))?.collect()
    };
    let tables = list("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
    if tables.is_empty() {
        return Ok(());
    }
    let table = random.pick(&tables);
    let columns = list(&format!("SELECT name FROM pragma_table_info('{table}')"))?;
    let column = random.pick(&columns);
    let rows: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    let nth = random.below(usize::try_from(rows).unwrap_or(0));
    // Which row it is goes by all of its values, for a table may be without row numbers.
    let (names, values) = {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} LIMIT 1 OFFSET {nth}"))?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let count = names.len();
        let values: Vec<Value> = statement
            .query_row([], |row| (0..count).map(|index| row.get(index)).collect::<rusqlite::Result<_>>())?;
        (names, values)
    };
    let old = names.iter().position(|name| name == column).map_or(Value::Null, |at| values[at].clone());
    let condition: Vec<String> =
        names.iter().enumerate().map(|(at, name)| format!("{name} IS ?{}", at + 2)).collect();
    let update = format!("UPDATE {table} SET {column} = ?1 WHERE {}", condition.join(" AND "));
    let new = std::iter::once(other_value(old, random));
    connection.execute(&update, params_from_iter(new.chain(values))).map(drop)
}

fn other_value(old: Value, random: &mut Random) -> Value {
    if random.one_in(8) {
        return match random.below(4) {
            0 => Value::Null,
            1 => Value::Integer(-1),
            2 => Value::Text((*random.pick(HOSTILE_TEXTS)).to_owned()),
            _ => Value::Blob(vec![0xff; random.below(64)]),
        };
    }
    match old {
        Value::Null => Value::Integer(1),
        Value::Integer(number) => Value::Integer(number ^ (1 << random.below(63))),
        Value::Real(number) => Value::Real(-number),
        Value::Text(text) => {
            let changed = json::mutate(text.as_bytes(), b"null", random);
            let changed = changed.unwrap_or_else(|| bytes::mutate(text.as_bytes(), b"", random));
            Value::Text(String::from_utf8_lossy(&changed).into_owned())
        }
        Value::Blob(blob) => Value::Blob(bytes::mutate(&blob, &blob, random)),
    }
}
