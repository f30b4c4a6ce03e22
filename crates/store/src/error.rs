//! Why a store cannot be used.

use std::path::PathBuf;

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder holds campaigns already.
    #[error("{folder} holds a campaign already: go on with `resume`, or choose another folder", folder = folder.display())]
    Taken {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no campaign.
    #[error("{folder} holds no campaign: `shakedown run TARGET --keep DIR` stores one", folder = folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
    },
    /// The process that was to begin a campaign here ended before it had stored what the campaign is.
    #[error(
        "{folder} holds no campaign yet: the process that was to begin one ended too early. Nothing is lost: repeat \
         the command that began it, with the same folder",
        folder = folder.display()
    )]
    NotBegun {
        /// The folder.
        folder: PathBuf,
    },
    /// A finding cannot be changed as long as the campaign goes on.
    #[error(
        "the campaign in {folder} is not over: go on with `resume` first, or write the result elsewhere with --out",
        folder = folder.display()
    )]
    NotOver {
        /// The folder.
        folder: PathBuf,
    },
    /// A failure file could not be written.
    #[error(transparent)]
    Failure(#[from] Box<shakedown_campaign::FailureFileError>),
    /// Another process works on it.
    #[error("{folder} is in use: another process runs its campaign", folder = folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// An I/O error.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
    /// Not a store, or of another version.
    #[error("{path} is no store of campaigns that this Shakedown reads: {reason}", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// What is stored is not what was written.
    #[error(
        "{path} is damaged: {what}. It was changed after it was written, so nothing that depends on it can be trusted: \
         use a copy of the folder, or run the campaign again in another one",
        path = path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part of it.
        what: String,
    },
    /// The folder is read-only, and the newest checkpoints are in a log that cannot be read there.
    #[error(
        "{path} cannot be read in a folder that is read-only: its newest checkpoints are still in the write-ahead log. \
         Copy the folder, and use the copy",
        path = path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// There is no room on the disk, or it does not work.
    #[error(
        "{path} cannot be written: {error}. What was stored before is whole: make room, and continue with `resume`, or \
         repeat the command if it had not begun",
        path = path.display()
    )]
    CannotWrite {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        error: rusqlite::Error,
    },
    /// Two campaigns have executions in common, so they are not parts of one.
    #[error(
        "two campaigns on {target} both have execution {execution} of seed {seed}: parts of one campaign must not overlap"
    )]
    Overlap {
        /// The target.
        target: String,
        /// The seed of both.
        seed: u64,
        /// An execution that is in both.
        execution: u64,
    },
    /// Another error of SQLite.
    #[error("{path}: {source}", path = path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// The error.
        source: rusqlite::Error,
    },
}
