//! A store in its own file. A new store is written to a temporary file in the same folder, which
//! gets the final name only when it is complete.

use super::open_failure::{cannot_open, check_path, with_path};
use super::opened_path::OpenedPath;
use crate::error::{Error, Failure, Result};
use crate::store::file::backend::SharedBackend;
use redb::backends::FileBackend;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Opens the file at a path. Returns `None` if it does not exist.
pub(crate) fn open(path: &Path) -> Result<Option<Arc<SharedBackend>>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // This prevents the file from being deleted, renamed or replaced while it is open.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0b11);
    let file = match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| cannot_open(path, &error))?,
    };
    let opened = OpenedPath::new(&file, path)?;
    Ok(Some(SharedBackend::of_file(backend(file)?, opened)))
}

/// Opens the file at a path. If it does not exist, `make` creates a store first.
pub(crate) fn open_or_make(
    path: &Path,
    make: impl FnOnce(&Arc<SharedBackend>) -> Result<()>,
) -> Result<Arc<SharedBackend>> {
    if let Some(backend) = open(path)? {
        return Ok(backend);
    }
    let made = publish(path, |file| {
        make(&SharedBackend::new(Box::new(backend(file.try_clone()?)?)))
    });
    match made {
        // A synced file can still be lost if its directory entry is not durable. If the folder
        // cannot be synced, this is left to the operating system.
        Ok(()) => drop(sync_folder(path)),
        // Another process or thread has created the file meanwhile.
        Err(error) if matches!(*error, Error::Exists { .. }) => {}
        Err(error) => return Err(with_path(path, error)),
    }
    // The path may also be that of a symbolic link that leads to no file.
    open(path)?.ok_or_else(|| cannot_open(path, &ErrorKind::NotFound.into()))
}

/// Writes a new file next to a path, syncs it, and then gives it the name `path`. Fails if a file
/// with this name exists. Only the owner can access the file, because it contains personal data.
pub(crate) fn publish(path: &Path, write: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) => return Err(exists(path)),
        Err(error) if error.kind() == ErrorKind::NotFound => check_path(path)?,
        Err(error) => return Err(cannot_open(path, &error)),
    }
    let (part, file) = create_beside(path)?;
    let sync = || file.sync_all().map_err(|error| cannot_open(path, &error));
    let written = write(&file).and_then(|()| sync());
    drop(file);
    let named = written.and_then(|()| name(&part, path));
    let _ = fs::remove_file(part);
    named
}

/// Creates a new file next to a path. It never opens an existing file, neither of the user nor of
/// another process.
fn create_beside(path: &Path) -> Result<(PathBuf, File)> {
    loop {
        let number = RandomState::new().hash_one(path);
        let part = path.with_file_name(format!("rollbook-{number:016x}.part"));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&part) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot_open(path, &error)),
            Ok(file) => return Ok((part, file)),
        }
    }
}

/// Gives a file its final name if the name is not in use. Renaming alone would replace an existing
/// file.
fn name(part: &Path, path: &Path) -> Result<()> {
    match fs::hard_link(part, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists(path)),
        // FAT has no links, and Android does not permit them to apps.
        Err(_) => rename(part, path),
    }
}

/// Renames a file on a file system without links. Reserving the name with an empty file would
/// leave that file behind if the process were killed. Instead, the name is checked before, and a
/// file that another process creates between the check and the renaming is replaced. Threads of
/// this process are serialised.
fn rename(part: &Path, path: &Path) -> Result<()> {
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists(path));
    }
    fs::rename(part, path).map_err(|error| cannot_open(path, &error))
}

pub(crate) fn backend(file: File) -> Result<FileBackend> {
    FileBackend::new(file).map_err(Failure::from)
}

/// Makes the directory entries of the parent folder durable, if the system can.
pub(crate) fn sync_folder(of: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(super::open_failure::folder(of))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = of;
    Ok(())
}

fn exists(path: &Path) -> Failure {
    Failure::from(Error::Exists {
        path: path.display().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use crate::store::file::locked_file::*;

    /// A temporary folder for one test, which is removed when it is dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> io::Result<Folder> {
            let number = RandomState::new().hash_one("folder");
            let path = std::env::temp_dir().join(format!("rollbook-{number:016x}"));
            fs::create_dir(&path)?;
            Ok(Folder(path))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Tests both ways to give a name, because tests rarely run on a file system without links.
    #[test]
    fn an_existing_file_is_not_replaced() -> Result<()> {
        for way in [name, rename] {
            let folder = Folder::new()?;
            let (part, path) = (folder.0.join("part"), folder.0.join("name"));
            fs::write(&part, "new")?;
            way(&part, &path)?;
            assert_eq!(fs::read(&path)?, b"new");
            let _ = fs::remove_file(&part);
            fs::write(&part, "newer")?;
            let refused = way(&part, &path).err();
            assert_eq!(refused.map(|error| error.code()), Some("exists"));
            assert_eq!(fs::read(&path)?, b"new");
            let nowhere = way(&part, &folder.0.join("no").join("where")).err();
            assert_eq!(nowhere.map(|error| error.code()), Some("io"));
            assert_eq!(fs::read(&part)?, b"newer");
        }
        Ok(())
    }

    /// A temporary file never replaces an existing file.
    #[test]
    fn a_temporary_file_is_always_new() -> Result<()> {
        let folder = Folder::new()?;
        let path = folder.0.join("name");
        let first = create_beside(&path)?.0;
        let second = create_beside(&path)?.0;
        assert_ne!(first, second);
        assert_eq!(fs::read_dir(&folder.0)?.count(), 2);
        Ok(())
    }

    #[test]
    fn a_failure_leaves_no_file() -> Result<()> {
        let folder = Folder::new()?;
        let path = folder.0.join("name");
        let failed = publish(&path, |_| Err(Error::corrupt("for the test"))).err();
        assert_eq!(failed.map(|error| error.code()), Some("corrupt"));
        assert_eq!(fs::read_dir(&folder.0)?.count(), 0);
        Ok(())
    }
}
