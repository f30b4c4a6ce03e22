//! The command as its users meet it.

mod command;
mod command_line;
mod command_reference;
mod conform;
mod corpora;
mod everyday;
mod explaining;
mod kept_campaigns;
mod lists;
mod no_room;
mod outputs;
mod properties;
mod serve;
mod small_things;
mod tla_paths;
mod validate;
