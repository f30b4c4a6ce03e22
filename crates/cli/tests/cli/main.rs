//! The command as its users meet it.

mod book;
mod command;
mod command_line;
mod kept_campaigns;
mod validate;
mod tla_paths;
