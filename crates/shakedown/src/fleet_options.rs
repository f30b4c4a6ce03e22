//! `--fleet`: how to reach the NATS server of a fleet.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use shakedown_campaign::{AnyTarget, Campaign, CampaignError, Fleet};

use crate::command_error::CommandError;
use crate::features::FLEET;
use crate::printing::step_time;

/// Options that would only be refused are not in the help.
const IS_OFF: bool = cfg!(not(feature = "fleet"));

/// How to reach a fleet.
#[derive(Args)]
#[command(next_help_heading = "Fleet")]
pub(crate) struct FleetArgs {
    /// Run the executions by the workers of a fleet: the NATS server, as nats://127.0.0.1:4222 or
    /// tls://HOST:4222
    #[arg(long = "fleet", hide = IS_OFF, value_name = "URL")]
    pub url: Option<String>,
    #[command(flatten)]
    pub access: FleetAccess,
}

/// What the server asks for.
#[derive(Args)]
pub(crate) struct FleetAccess {
    /// The file of credentials for the NATS server
    #[arg(long = "fleet-creds", hide = IS_OFF, value_name = "FILE")]
    pub creds: Option<PathBuf>,
    /// The file with the seed of an nkey for the NATS server
    #[arg(long = "fleet-nkey", hide = IS_OFF, value_name = "FILE", conflicts_with = "creds")]
    pub nkey: Option<PathBuf>,
    /// The certificates that sign that of the NATS server; the connection is encrypted
    #[arg(long = "fleet-ca", hide = IS_OFF, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// The certificate of this client, if the NATS server asks for one
    #[arg(long = "fleet-cert", hide = IS_OFF, value_name = "FILE", requires = "key")]
    pub certificate: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long = "fleet-key", hide = IS_OFF, value_name = "FILE", requires = "certificate")]
    pub key: Option<PathBuf>,
    /// Allow plain text to leave this machine
    #[arg(long = "fleet-insecure", hide = IS_OFF)]
    pub insecure: bool,
    /// How many servers of a NATS cluster keep each stream, if this command makes it
    #[arg(long = "fleet-replicas", hide = IS_OFF, value_name = "N", default_value_t = 1)]
    pub replicas: usize,
}

/// A fleet, if one is to be had.
pub(crate) type SomeFleet = Option<Arc<dyn Fleet>>;

impl FleetArgs {
    /// Lets a fleet run the executions of a campaign, if that is asked for.
    pub fn apply(&self, campaign: &mut Campaign<'_>) -> Result<(), CommandError> {
        campaign.fleet = self.connect_for(campaign.target)?;
        Ok(())
    }

    /// The fleet that is asked for, for work on this target.
    pub fn connect_for(&self, target: &dyn AnyTarget) -> Result<SomeFleet, CommandError> {
        if self.url.is_some() && !target.info().is_deterministic {
            FLEET.needed_for("--fleet").map_err(CommandError)?;
            return Err(CampaignError::NotForFleets(target.name().to_owned()).into());
        }
        self.connect(step_time(target))
    }

    /// The fleet that is asked for. No call of a node may take longer.
    pub fn connect(&self, step_time: Duration) -> Result<SomeFleet, CommandError> {
        let Some(url) = &self.url else { return Ok(None) };
        FLEET.needed_for("--fleet").map_err(CommandError)?;
        coordinator(url, &self.access, step_time)
    }
}

#[cfg(feature = "fleet")]
fn coordinator(url: &str, access: &FleetAccess, step_time: Duration) -> Result<SomeFleet, CommandError> {
    use crate::terminal::remark;

    let notice = Box::new(|text: &str| remark!("{text}"));
    Ok(Some(shakedown_fleet::Coordinator::new(&access.options(url), step_time, notice)?))
}

#[cfg(not(feature = "fleet"))]
fn coordinator(_url: &str, _access: &FleetAccess, _step_time: Duration) -> Result<SomeFleet, CommandError> {
    Err(CommandError(FLEET.missing("--fleet")))
}

#[cfg(feature = "fleet")]
impl FleetAccess {
    /// The options of a connection to this server.
    pub fn options(&self, url: &str) -> shakedown_fleet::FleetOptions {
        shakedown_fleet::FleetOptions {
            url: url.to_owned(),
            creds: self.creds.clone(),
            nkey: self.nkey.clone(),
            ca: self.ca.clone(),
            certificate: self.certificate.clone().zip(self.key.clone()),
            insecure: self.insecure,
            replicas: self.replicas,
        }
    }
}
