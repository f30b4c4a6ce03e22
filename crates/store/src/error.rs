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
    #[error("{folder} holds no campaign", folder = folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
    },
    /// Somebody else is at work on it.
    #[error("{folder} is in use: another process runs its campaign", folder = folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The file system said no.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
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
    /// SQLite said no.
    #[error("{path}: {source}", path = path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: rusqlite::Error,
    },
}
