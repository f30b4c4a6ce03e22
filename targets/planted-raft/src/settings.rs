//! The options of the target, as nodes read them.

use shakedown_cluster::{BadOption, Options};

use crate::Properties;
use crate::protocol::Settings;

/// The longest election timeout that can be asked for, in ticks.
const ELECTION_TICK_MAX: u64 = 1_000_000;

/// Reads the settings of a server in a cluster of so many nodes.
pub(crate) fn read(options: &Options, nodes: usize) -> Result<Settings, BadOption> {
    options.get::<Properties>("oracles")?;
    let settings = Settings {
        servers: nodes,
        election_tick: options.get("election_tick")?,
        heartbeat_tick: options.get("heartbeat_tick")?,
        append_max: options.get("append_max")?,
        fault: options.get("fault")?,
    };
    let bad = |name: &str, reason: String| {
        let value = options.text(name).unwrap_or_default().to_owned();
        Err(BadOption { name: name.to_owned(), value, reason })
    };
    let (election, heartbeat) = (settings.election_tick, settings.heartbeat_tick);
    if heartbeat == 0 {
        return bad("heartbeat_tick", "it is at least 1".to_owned());
    }
    if election < heartbeat || election > ELECTION_TICK_MAX {
        let reason = format!("it is at least heartbeat_tick, {heartbeat}, and at most {ELECTION_TICK_MAX}");
        return bad("election_tick", reason);
    }
    if settings.append_max == 0 {
        return bad("append_max", "it is at least 1".to_owned());
    }
    Ok(settings)
}
