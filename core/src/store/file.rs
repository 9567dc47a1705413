//! A store in a file of its own. Under its name it is whole or not there: a new
//! one is written beside it.

use super::backend::SharedBackend;
use super::opened_path::OpenedPath;
use crate::error::{Error, Failure, Result};
use redb::backends::FileBackend;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The file at a path, unless nothing is there.
pub(super) fn open(path: &Path) -> Result<Option<Arc<SharedBackend>>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // Nobody deletes, renames or replaces it while it is open.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0b11);
    let file = match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let opened = OpenedPath::of(&file, path)?;
    Ok(Some(SharedBackend::of_file(backend(file)?, opened)))
}

/// The file at a path. Where nothing is, `make` makes a store first.
pub(super) fn open_or_make(
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
        // Without its name in the folder, a file that was synced is lost all the
        // same. A folder that cannot be synced leaves that to the system.
        Ok(()) => drop(sync_folder(path)),
        // Somebody was faster.
        Err(error) if matches!(*error, Error::Exists { .. }) => {}
        Err(error) => return Err(error),
    }
    open(path)?.ok_or_else(|| Error::missing(path))
}

/// Writes a new file beside a path, syncs it, and only then gives it that name,
/// unless something has it. It is for its owner alone, since it holds personal data.
pub(super) fn publish(path: &Path, write: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists(path));
    }
    let (part, file) = create_beside(path)?;
    let written = write(&file).and_then(|()| Ok(file.sync_all()?));
    drop(file);
    let named = written.and_then(|()| name(&part, path));
    let _ = fs::remove_file(part);
    named
}

/// Makes a file that nobody else has: neither one of the user's, nor what another
/// process is writing or has left.
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
            created => return Ok((part, created?)),
        }
    }
}

/// Gives a file a name that nothing has. Renaming alone would replace what has it.
fn name(part: &Path, path: &Path) -> Result<()> {
    match fs::hard_link(part, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists(path)),
        // FAT has no links, and Android grants apps none.
        Err(_) => rename(part, path),
    }
}

/// Renames, where there are no links. Taking the name with an empty file first would
/// leave that file behind if the process were killed; so what another process puts
/// there between the two steps is replaced. Threads of this one take turns.
fn rename(part: &Path, path: &Path) -> Result<()> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if fs::symlink_metadata(path).is_ok() {
        return Err(exists(path));
    }
    Ok(fs::rename(part, path)?)
}

pub(super) fn backend(file: File) -> Result<FileBackend> {
    FileBackend::new(file).map_err(Failure::from)
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

fn exists(path: &Path) -> Failure {
    Failure::from(Error::Exists {
        path: path.display().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, gone when it is dropped.
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

    /// Both ways to give a name, since hardly a test runs where there are no links.
    #[test]
    fn a_name_that_is_taken_is_left_alone() -> Result<()> {
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

    /// What is written beside a path never is a file that is there.
    #[test]
    fn a_part_is_nobody_elses() -> Result<()> {
        let folder = Folder::new()?;
        let path = folder.0.join("name");
        let first = create_beside(&path)?.0;
        let second = create_beside(&path)?.0;
        assert_ne!(first, second);
        assert_eq!(fs::read_dir(&folder.0)?.count(), 2);
        Ok(())
    }

    #[test]
    fn nothing_is_left_of_what_fails() -> Result<()> {
        let folder = Folder::new()?;
        let path = folder.0.join("name");
        let failed = publish(&path, |_| Err(Error::corrupt("as told"))).err();
        assert_eq!(failed.map(|error| error.code()), Some("corrupt"));
        assert_eq!(fs::read_dir(&folder.0)?.count(), 0);
        Ok(())
    }
}
