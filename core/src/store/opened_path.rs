//! Whether a store's path still leads to the file that is open. A file that was
//! deleted or replaced takes every write and keeps none.

#[cfg(unix)]
use crate::error::Error;
use crate::error::Result;
use std::fs::File;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

#[cfg(unix)]
#[derive(Debug)]
pub(super) struct OpenedPath {
    path: PathBuf,
    /// Its device and its number there, which no other file gets while it is open.
    identity: (u64, u64),
}

#[cfg(unix)]
impl OpenedPath {
    pub(super) fn of(file: &File, path: &Path) -> Result<OpenedPath> {
        Ok(OpenedPath {
            path: path.to_owned(),
            identity: identity(&file.metadata()?),
        })
    }

    /// Fails as `missing` if the path leads elsewhere by now.
    pub(super) fn check(&self) -> Result<()> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let leads_here = match std::fs::metadata(&self.path) {
            Ok(found) => identity(&found) == self.identity,
            // Who may not look cannot tell; the file itself is open and good.
            Err(error) => !matches!(error.kind(), NotFound | NotADirectory),
        };
        if leads_here {
            return Ok(());
        }
        Err(Error::missing(&self.path))
    }
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Windows deletes and replaces nothing that is open as a store is.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct OpenedPath;

#[cfg(not(unix))]
impl OpenedPath {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(super) fn of(_: &File, _: &Path) -> Result<OpenedPath> {
        Ok(OpenedPath)
    }

    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "elsewhere it may fail"
    )]
    pub(super) fn check(&self) -> Result<()> {
        Ok(())
    }
}
