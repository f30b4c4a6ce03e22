//! Targets of real servers: the table `[deployment]`.

use std::path::Path;
use std::sync::Arc;

use shakedown_cluster::Contract;
use shakedown_live::{Clients, Deployment, LineClients, LiveNode, LiveSettings, live};
use shakedown_remote::Notice;
use shakedown_target::{AnyTarget, Target};
use toml::Spanned;

use crate::located::error_at;
use crate::schema::{ContractTable, TargetFile};
use crate::{describe, with_options};

/// The target of servers that the file describes. Nothing is started yet.
pub(crate) fn servers(
    spanned: Spanned<Deployment>,
    mut file: TargetFile,
    text: &str,
    folder: &Path,
    notice: Notice,
) -> Result<Target<LiveNode>, String> {
    let deployment = spanned.get_ref().clone();
    if let Some(replicas) = &deployment.listen {
        replicas.on_notice(move |text| notice(text));
    }
    deployment.check().map_err(|reason| error_at(text, &spanned, reason))?;
    let head = file.target.get_ref();
    if head.command.is_some() || head.library.is_some() {
        let reason = "a target has a `[deployment]`, a `command` or a `library`, and only one of them";
        return Err(error_at(text, &file.target, reason));
    }
    let weights = head.weights.clone();
    let base = file.contract.take().map_or_else(Contract::sessions, ContractTable::contract);
    let here = folder.to_owned();
    let clients = deployment.client.clone().map(|client| {
        Arc::new(LineClients { command: client.command, here: here.clone() }) as Arc<dyn Clients>
    });
    let options = std::mem::take(&mut file.options);
    let target = describe::<LiveNode>(file, text, folder)?;
    let target = with_options(live(target, LiveSettings { deployment, here, clients }, base), options);
    let Some(spanned) = weights else { return Ok(target) };
    let weights = target.info().weights.clone().changed_by(spanned.get_ref());
    Ok(target.weights(weights.map_err(|error| error_at(text, &spanned, format!("`weights`: {error}")))?))
}
