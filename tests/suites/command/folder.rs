//! A folder in which subcommands are run.

use super::{export, sample};
use crate::http::server::rollbook;
use rollbook::{Credentials, Engine, Options};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub(super) struct Folder(tempfile::TempDir);

/// The outcome of a subcommand.
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Folder {
    pub(super) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// Makes a folder with the store `school.redb`, which has the sample schools.
    pub(super) fn with_store() -> Folder {
        let folder = Folder::new();
        let engine = Engine::open(folder.path("school.redb"), Options::default()).unwrap();
        engine.apply(sample().as_bytes()).unwrap();
        engine.close().unwrap();
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the names of the files in order.
    pub(super) fn names(&self) -> Vec<String> {
        crate::small_file::names(self.0.path())
    }

    /// Opens a store of the folder.
    pub(super) fn engine(&self, name: &str) -> Engine {
        Engine::open(self.path(name), Options::default()).unwrap()
    }

    /// Returns the records of a store, including the logins.
    pub(super) fn records(&self, name: &str) -> String {
        let engine = self.engine(name);
        let records = export(&engine, Credentials::Keep);
        engine.close().unwrap();
        records
    }

    /// Returns a command in the folder. Its arguments are separated by spaces.
    pub(super) fn command(&self, line: &str) -> Command {
        let mut arguments = line.split(' ');
        let mut command = rollbook(arguments.next().unwrap());
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("ROLLBOOK_PSEUDONYM_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a subcommand.
    pub(super) fn run(&self, line: &str) -> Ran {
        ran(self.command(line).output().unwrap())
    }

    /// Runs a subcommand that reads stdin.
    pub(super) fn pipe(&self, stdin: &[u8], line: &str) -> Ran {
        let mut command = self.command(line);
        let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = process.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // The command may end before it has read all of it.
            scope.spawn(move || drop(pipe.write_all(stdin)));
            ran(process.wait_with_output().unwrap())
        })
    }

    /// Runs a subcommand that must succeed without a message. Returns its output.
    pub(super) fn succeed(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
        ran.out
    }

    /// Runs a subcommand that must fail without output. Returns the message.
    pub(super) fn fail(&self, line: &str, code: i32) -> String {
        let ran = self.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{line}");
        ran.err
    }
}

pub(super) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
