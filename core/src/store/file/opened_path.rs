//! Checks whether the path of a store still leads to the open file. If the file was deleted or
//! replaced, it accepts writes, but they are lost.

#[cfg(unix)]
use crate::error::Error;
use crate::error::Result;
use std::fs::File;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct OpenedPath {
    path: PathBuf,
    /// The device and the inode number of the file. No other file gets them while the file is
    /// open.
    identity: (u64, u64),
}

#[cfg(unix)]
impl OpenedPath {
    pub(crate) fn new(file: &File, path: &Path) -> Result<OpenedPath> {
        Ok(OpenedPath {
            path: path.to_owned(),
            identity: identity(&file.metadata()?),
        })
    }

    /// Fails as `missing` if the path no longer leads to the open file.
    pub(crate) fn check(&self) -> Result<()> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let leads_here = match std::fs::metadata(&self.path) {
            Ok(found) => identity(&found) == self.identity,
            // If the path may not be examined, the file is assumed to be the same.
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

/// Windows does not delete or replace a file that is opened like a store.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct OpenedPath;

#[cfg(not(unix))]
impl OpenedPath {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
    pub(crate) fn new(_: &File, _: &Path) -> Result<OpenedPath> {
        Ok(OpenedPath)
    }

    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "elsewhere it may fail"
    )]
    pub(crate) fn check(&self) -> Result<()> {
        Ok(())
    }
}
