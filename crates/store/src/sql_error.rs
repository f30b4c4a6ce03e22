//! What an error of SQLite means for a store.

use std::path::Path;

use rusqlite::{Error, ErrorCode, ffi};

use crate::StoreError;

/// I/O errors that come of writing.
const WRITE_ERRORS: [i32; 5] = [
    ffi::SQLITE_IOERR_WRITE,
    ffi::SQLITE_IOERR_FSYNC,
    ffi::SQLITE_IOERR_DIR_FSYNC,
    ffi::SQLITE_IOERR_TRUNCATE,
    ffi::SQLITE_IOERR_SHMSIZE,
];

/// The error of the store at this path.
pub(crate) fn sql_error(path: &Path, source: Error) -> StoreError {
    let path = path.to_owned();
    let is_type_error = matches!(
        source,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
    );
    match source.sqlite_error() {
        Some(error) if matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { path, what: source.to_string() }
        }
        Some(error) if error.code == ErrorCode::DiskFull || WRITE_ERRORS.contains(&error.extended_code) => {
            StoreError::CannotWrite { path, error: source }
        }
        None if is_type_error => StoreError::Damaged { path, what: source.to_string() },
        _ => StoreError::Sql { path, source },
    }
}
