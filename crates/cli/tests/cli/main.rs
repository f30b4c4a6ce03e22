//! The command as its users meet it.

mod book;
mod command;
mod command_line;
mod conform;
mod corpora;
mod kept_campaigns;
mod lists;
mod no_room;
mod outputs;
mod properties;
mod tla_paths;
mod validate;
