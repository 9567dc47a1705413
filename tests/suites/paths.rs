//! Paths at which no store can be opened or created: the error contains the path and a remedy that
//! fits the cause, and no file is left behind.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use crate::small_file::{names, open, store};
use rollbook::{Credentials, Engine, Error};
use rollbook_tests::storage::scenario::options;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Checks that an error contains a path and ends with a remedy.
fn is_explained(error: &Error, path: &Path, remedy: &str) {
    let message = error.to_string();
    assert_eq!(error.code(), "io", "{message}");
    let path = path.to_str().unwrap();
    assert!(
        message.starts_with(&format!("{path} could not be opened (")),
        "{message}"
    );
    assert!(message.ends_with(&format!("): {remedy}")), "{message}");
}

/// Opens a store and writes a backup at a path at which neither is possible. Both fail for the same
/// cause, and no file is created.
fn is_refused(folder: &Path, path: &Path, remedy: &str) {
    let before = names(folder);
    is_explained(&open(path).unwrap_err(), path, remedy);
    let engine = Engine::memory(options()).unwrap();
    let backup = engine.backup(path, Credentials::Keep).unwrap_err();
    is_explained(&backup, path, remedy);
    assert_eq!(names(folder), before);
}

#[test]
fn a_missing_folder_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("missing").join("inner");
    let create = format!(
        "create the folder {}, or give a path in a folder that exists",
        inner.display()
    );
    is_refused(folder.path(), &inner.join("store"), &create);
}

#[test]
fn the_path_of_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let remedy = "give the path of a file, not of a folder";
    is_explained(&open(folder.path()).unwrap_err(), folder.path(), remedy);
    is_refused(folder.path(), &folder.path().join("store/"), remedy);
    let engine = Engine::memory(options()).unwrap();
    let backup = engine.backup(folder.path(), Credentials::Keep).unwrap_err();
    assert_eq!(backup.code(), "exists");
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_file_is_not_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let remedy = format!("give a path in a folder: {} is a file", file.display());
    is_refused(folder.path(), &file.join("store"), &remedy);
    is_refused(folder.path(), &file.join("inner").join("store"), &remedy);
}

#[test]
fn a_name_can_be_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x".repeat(300));
    let remedy = "give a shorter path, with names that the file system permits";
    is_refused(folder.path(), &path, remedy);
}

#[cfg(unix)]
#[test]
fn a_name_cannot_contain_nul() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a\0b");
    is_refused(
        folder.path(),
        &path,
        "give a path without the character NUL",
    );
}

#[test]
fn the_empty_path_is_refused() {
    let remedy = "give the path of a file";
    let empty = Path::new("");
    let engine = Engine::memory(options()).unwrap();
    let backup = engine.backup(empty, Credentials::Keep).unwrap_err();
    for error in [open(empty).unwrap_err(), backup] {
        is_explained(&error, Path::new("the empty path"), remedy);
    }
}

/// A socket has a path, but cannot be opened.
#[cfg(unix)]
#[test]
fn other_kinds_of_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    is_explained(
        &open(&path).unwrap_err(),
        &path,
        "give the path of a regular file",
    );
    assert_eq!(names(folder.path()), ["socket"]);
}

/// Opening a store creates neither the target of a symbolic link nor a file in its place. A link
/// that leads to a store opens that store.
#[cfg(unix)]
#[test]
fn a_symbolic_link_needs_a_target() {
    use std::os::unix::fs::symlink;
    let (folder, path, engine) = store();
    engine.close().unwrap();
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    open(&link).unwrap().close().unwrap();
    fs::remove_file(&path).unwrap();
    let remedy = "the symbolic link leads to no file: remove the link, or give the path of a file";
    is_explained(&open(&link).unwrap_err(), &link, remedy);
    let circle = folder.path().join("circle");
    symlink("circle", &circle).unwrap();
    is_explained(&open(&circle).unwrap_err(), &circle, remedy);
    let memory = Engine::memory(options()).unwrap();
    for link in [link, circle] {
        let backup = memory.backup(&link, Credentials::Keep).unwrap_err();
        assert_eq!(backup.code(), "exists");
    }
    assert_eq!(names(folder.path()), ["circle", "link"]);
}

/// Permissions do not apply to root, so that the test runs as another user if it is started by
/// root.
#[cfg(target_os = "linux")]
mod permissions {
    use super::*;
    use rollbook_tests::storage::child;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    /// The user that owns no files.
    const NOBODY: u32 = 65534;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs a test in a folder of its own as a user to whom permissions apply.
    fn run(test: &str, work: fn(&Path)) {
        if let Some(folder) = child::task() {
            return work(Path::new(&folder));
        }
        let folder: TempDir = tempfile::tempdir().unwrap();
        if folder.path().metadata().unwrap().uid() != 0 {
            return work(folder.path());
        }
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        let task = folder.path().to_str().unwrap();
        let child = child::start_as(NOBODY, test, task);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("1 passed"), "{said}");
    }

    fn made(path: &Path) {
        open(path).unwrap().close().unwrap();
    }

    #[test]
    fn a_file_that_may_only_be_read_is_not_opened() {
        run(
            "paths::permissions::a_file_that_may_only_be_read_is_not_opened",
            |folder| {
                let path = folder.join("store");
                made(&path);
                set_mode(&path, 0o444);
                let remedy =
                    "the file may only be read: give this process permission to write to it";
                is_explained(&open(&path).unwrap_err(), &path, remedy);
                set_mode(&path, 0o000);
                let remedy = "give this process permission to read and write the file";
                is_explained(&open(&path).unwrap_err(), &path, remedy);
                set_mode(&path, 0o600);
                open(&path).unwrap();
            },
        );
    }

    #[test]
    fn a_folder_must_be_accessible() {
        run(
            "paths::permissions::a_folder_must_be_accessible",
            |folder| {
                let inner = folder.join("inner");
                fs::create_dir(&inner).unwrap();
                let path = inner.join("store");
                let remedy = format!(
                    "give this process permission to read, write and search the folder {}",
                    inner.display()
                );
                for mode in [0o000, 0o400, 0o500, 0o600] {
                    set_mode(&inner, mode);
                    is_explained(&open(&path).unwrap_err(), &path, &remedy);
                    let engine = Engine::memory(options()).unwrap();
                    let backup = engine.backup(&path, Credentials::Keep).unwrap_err();
                    is_explained(&backup, &path, &remedy);
                }
                // A backup also needs to make the name of its file durable.
                set_mode(&inner, 0o300);
                let engine = Engine::memory(options()).unwrap();
                let backup = engine.backup(&path, Credentials::Keep).unwrap_err();
                is_explained(&backup, &path, &remedy);
                set_mode(&inner, 0o700);
                assert_eq!(names(&inner), Vec::<String>::new());
            },
        );
    }

    /// An existing store needs no other file in its folder.
    #[test]
    fn a_store_in_a_folder_that_may_only_be_read_is_opened() {
        run(
            "paths::permissions::a_store_in_a_folder_that_may_only_be_read_is_opened",
            |folder| {
                let path = folder.join("store");
                made(&path);
                set_mode(folder, 0o500);
                let engine = open(&path).unwrap();
                engine
                    .apply(&br#"{"type":"grade","school_id":1,"grade_id":9}"#[..])
                    .unwrap();
                engine.compact().unwrap();
                engine.close().unwrap();
                set_mode(folder, 0o700);
                assert_eq!(names(folder), ["store"]);
            },
        );
    }
}
