//! What the data of packets says: requests, transactions, epochs. It is only shown, so what cannot be read is
//! left out.

use serde_json::{Map, Value};

use super::packet::{Packet, PacketType};
use super::{config_version, session};
use crate::{Reader, Stop};

/// How much of a node's data is shown, in bytes.
const SHOWN_BYTES_MAX: usize = 64;

/// The name of an operation.
fn operation(number: i32) -> String {
    let name = match number {
        -11 => "closeSession",
        -10 => "createSession",
        -1 => "error",
        1 => "create",
        2 => "delete",
        3 => "exists",
        4 => "getData",
        5 => "setData",
        6 => "getACL",
        7 => "setACL",
        8 => "getChildren",
        9 => "sync",
        11 => "ping",
        12 => "getChildren2",
        13 => "check",
        14 => "multi",
        15 => "create2",
        16 => "reconfig",
        19 => "createContainer",
        20 => "deleteContainer",
        21 => "createTTL",
        _ => return format!("operation {number}"),
    };
    name.to_owned()
}

/// Adds the contents of a packet, as far as they can be read.
pub(super) fn describe(packet: &Packet<'_>, fields: &mut Map<String, Value>) {
    let Some(data) = packet.data else { return };
    let mut reader = Reader::new(data, data.len());
    let read = match packet.packet_type {
        PacketType::Proposal | PacketType::Inform => transaction(&mut reader, fields),
        PacketType::Request => request(&mut reader, fields),
        PacketType::FollowerInfo | PacketType::ObserverInfo => learner(&mut reader, fields),
        PacketType::LeaderInfo => number(&mut reader, "version", fields),
        PacketType::AckEpoch => number(&mut reader, "current_epoch", fields),
        PacketType::NewLeader => config(data, fields),
        _ => Ok(()),
    };
    // A packet that says less than expected is shown with what it says, and with its size.
    if read.is_err() {
        fields.insert("unread".to_owned(), Value::from(reader.remaining().len()));
    }
}

fn put(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

fn number(reader: &mut Reader<'_>, name: &str, fields: &mut Map<String, Value>) -> Result<(), Stop> {
    put(fields, name, reader.i32()?);
    Ok(())
}

/// The configuration of the ensemble, since 3.5.
fn config(data: &[u8], fields: &mut Map<String, Value>) -> Result<(), Stop> {
    if !data.is_empty() {
        put(fields, "config_version", config_version(data));
    }
    Ok(())
}

fn learner(reader: &mut Reader<'_>, fields: &mut Map<String, Value>) -> Result<(), Stop> {
    put(fields, "sid", reader.i64()?);
    put(fields, "version", reader.i32()?);
    Ok(())
}

fn request(reader: &mut Reader<'_>, fields: &mut Map<String, Value>) -> Result<(), Stop> {
    put(fields, "session", session(reader.i64()?));
    put(fields, "cxid", reader.i32()?);
    let number = reader.i32()?;
    put(fields, "operation", operation(number));
    match number {
        1 | 5 | 15 => path_and_data(reader, fields),
        2 | 9 => path(reader, fields),
        _ => Ok(()),
    }
}

fn transaction(reader: &mut Reader<'_>, fields: &mut Map<String, Value>) -> Result<(), Stop> {
    put(fields, "session", session(reader.i64()?));
    put(fields, "cxid", reader.i32()?);
    // The zxid of the header is that of the packet.
    reader.i64()?;
    put(fields, "time_ms", reader.i64()?);
    let number = reader.i32()?;
    put(fields, "operation", operation(number));
    match number {
        -10 => self::number(reader, "timeout_ms", fields),
        -1 => self::number(reader, "error", fields),
        1 | 15 => path_and_data(reader, fields),
        2 => path(reader, fields),
        5 => {
            path_and_data(reader, fields)?;
            self::number(reader, "version", fields)
        }
        _ => Ok(()),
    }
}

fn path(reader: &mut Reader<'_>, fields: &mut Map<String, Value>) -> Result<(), Stop> {
    put(fields, "path", reader.text("a path")?);
    Ok(())
}

fn path_and_data(reader: &mut Reader<'_>, fields: &mut Map<String, Value>) -> Result<(), Stop> {
    path(reader, fields)?;
    let data = reader.buffer("the data of a node")?.unwrap_or_default();
    put(fields, "data", data[..data.len().min(SHOWN_BYTES_MAX)].escape_ascii().to_string());
    Ok(())
}
