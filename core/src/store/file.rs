//! A store in a file of its own.

use super::backend::Keeper;
use crate::error::{Error, Result};
use redb::backends::FileBackend;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The backend of the file at a path, made if it is not there: for its owner
/// alone, since it holds personal data.
pub(super) fn open(path: &Path) -> Result<Arc<Keeper>> {
    let is_new = !path.exists();
    let file = private(OpenOptions::new().read(true).write(true).create(true)).open(path)?;
    if is_new {
        // Without its name in the folder, a file that was synced is lost all the
        // same. A folder that cannot be synced leaves that to the system.
        let _ = sync_folder(path);
    }
    Ok(Keeper::new(Box::new(backend(file)?)))
}

/// A new file that nobody else may read.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().read(true).write(true).create_new(true)).open(path)
}

pub(super) fn backend(file: File) -> Result<FileBackend> {
    FileBackend::new(file).map_err(Box::<Error>::from)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes the names in a folder durable, where the system can.
pub(super) fn sync_folder(of: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = of.parent() {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = of;
    Ok(())
}
