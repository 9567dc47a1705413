//! The error of a file that could not be opened or created: it contains the path, and says what to
//! do about the cause.

use crate::error::{Error, Failure};
use crate::platform::HAS_SYSTEM;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, is_separator};

/// Returns the error of a file that was not opened or created.
#[cold]
pub(crate) fn cannot_open(path: &Path, error: &io::Error) -> Failure {
    Failure::from(Error::CannotOpen {
        path: shown(path),
        detail: error.to_string(),
        remedy: remedy(path, error.kind()),
    })
}

/// Returns the same error for a failure whose cause is known only by its message, such as a full
/// disk or a faulty device. Other errors are returned unchanged.
#[cold]
pub(crate) fn with_path(path: &Path, failure: Failure) -> Failure {
    match Error::from(failure) {
        Error::Io { detail } => Failure::from(Error::CannotOpen {
            path: shown(path),
            detail,
            remedy: "free space or check the device, then try again".to_owned(),
        }),
        other => Failure::from(other),
    }
}

/// Returns a path as a text that is visible in a message.
fn shown(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return "the empty path".to_owned();
    }
    path.display().to_string()
}

/// Fails if no file can have this path. A file could otherwise be written completely before it
/// fails to get its name.
pub(crate) fn check_path(path: &Path) -> Result<(), Failure> {
    if path.as_os_str().is_empty() {
        return Err(cannot_open(path, &ErrorKind::InvalidInput.into()));
    }
    if is_folder(path) {
        return Err(cannot_open(path, &ErrorKind::IsADirectory.into()));
    }
    Ok(())
}

/// Returns whether a path can only be that of a folder, because it ends with a separator or leads
/// to a folder.
fn is_folder(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    text.ends_with(is_separator) || path.is_dir()
}

/// Returns what to do about a failure to open or create a file. The path is examined, because the
/// system reports the same error for different causes.
fn remedy(path: &Path, kind: ErrorKind) -> String {
    if !HAS_SYSTEM {
        return "open the store with a backend".to_owned();
    }
    if path.as_os_str().is_empty() {
        return "give the path of a file".to_owned();
    }
    if is_folder(path) {
        return "give the path of a file, not of a folder".to_owned();
    }
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return "give the path of a regular file".to_owned();
    }
    let is_there = fs::symlink_metadata(path).is_ok();
    match kind {
        ErrorKind::NotFound | ErrorKind::NotADirectory if !is_there => without_folder(path),
        ErrorKind::PermissionDenied => without_permission(path, is_there),
        ErrorKind::ReadOnlyFilesystem if is_there => {
            "its file system may only be read: copy the file to one that may also be written to, \
             and open the copy"
                .to_owned()
        }
        ErrorKind::ReadOnlyFilesystem => {
            "its file system may only be read: give a path on one that may also be written to"
                .to_owned()
        }
        ErrorKind::InvalidFilename => {
            "give a shorter path, with names that the file system permits".to_owned()
        }
        ErrorKind::InvalidInput => "give a path without the character NUL".to_owned(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free space, then try again".to_owned()
        }
        _ if is_there && fs::metadata(path).is_err() => {
            "the symbolic link leads to no file: remove the link, or give the path of a file"
                .to_owned()
        }
        _ => "check the path and its device, then try again".to_owned(),
    }
}

/// Returns what to do if a file cannot be found or created because of its folder.
fn without_folder(path: &Path) -> String {
    let mut folders = path.ancestors().skip(1);
    let is_file = |part: &&Path| fs::metadata(part).is_ok_and(|found| !found.is_dir());
    if let Some(file) = folders.find(is_file) {
        let file = file.display();
        return format!("give a path in a folder: {file} is a file");
    }
    let folder = folder(path);
    if folder.is_dir() {
        return "give a path in a folder in which files can be created".to_owned();
    }
    let folder = folder.display();
    format!("create the folder {folder}, or give a path in a folder that exists")
}

/// Returns which permission is missing.
fn without_permission(path: &Path, is_there: bool) -> String {
    // Other kinds of files may wait for a writer when they are opened.
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    if is_file && File::open(path).is_ok() {
        return "the file may only be read: give this process permission to write to it".to_owned();
    }
    if is_there {
        return "give this process permission to read and write the file".to_owned();
    }
    // A folder that may not be searched hides whether its content exists.
    let mut folders = path.ancestors().skip(1);
    let is_visible = |part: &&Path| fs::symlink_metadata(part).is_ok();
    let nearest = folders.find(is_visible).unwrap_or(folder(path));
    let folder = nearest.display();
    format!("give this process permission to read, write and search the folder {folder}")
}

/// Returns the folder of a path, which is the working directory if the path has no other one.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remedy fits the cause, also for causes that a test cannot bring about on every machine.
    #[test]
    fn the_remedy_fits_the_cause() {
        let path = Path::new("store-of-no-test");
        let message = |kind: ErrorKind| cannot_open(path, &kind.into()).to_string();
        for (kind, remedy) in [
            (
                ErrorKind::PermissionDenied,
                "give this process permission to read, write and search the folder .",
            ),
            (
                ErrorKind::ReadOnlyFilesystem,
                "its file system may only be read: give a path on one that may also be written to",
            ),
            (
                ErrorKind::InvalidFilename,
                "give a shorter path, with names that the file system permits",
            ),
            (ErrorKind::StorageFull, "free space, then try again"),
            (
                ErrorKind::Other,
                "check the path and its device, then try again",
            ),
        ] {
            let system = io::Error::from(kind);
            let expected = format!(
                "{} could not be opened ({system}): {remedy}",
                path.display()
            );
            assert_eq!(message(kind), expected);
        }
    }

    /// A file on a file system that may only be read. Mounting one needs privileges.
    #[test]
    fn a_file_that_may_only_be_read_says_so() -> io::Result<()> {
        let path = std::env::current_exe()?;
        for (kind, remedy) in [
            (
                ErrorKind::ReadOnlyFilesystem,
                "its file system may only be read: copy the file to one that may also be written \
                 to, and open the copy",
            ),
            (
                ErrorKind::PermissionDenied,
                "the file may only be read: give this process permission to write to it",
            ),
        ] {
            let message = cannot_open(&path, &kind.into()).to_string();
            assert!(message.ends_with(&format!(": {remedy}")), "{message}");
        }
        Ok(())
    }
}
