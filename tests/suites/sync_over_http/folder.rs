//! The commands `serve` and `sync` as processes, in a folder with their files.

use crate::http::server::{self, Reply, Server};
use rollbook::{Credentials, Engine, Options};
use rollbook_tests::corpus::Request;
use rollbook_tests::login::quick;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SAMPLE: &str = include_str!("../../../core/examples/sample-school.ndjson");
/// 2026-05-14T08:00:00Z.
pub(super) const NOW: i64 = 1_778_745_600;
const AT: &str = "2026-05-14T08:00:00Z";
const USERNAME: &str = "reader";
pub(super) const PASSWORD: &str = "S3cret-word";

/// A folder with the school of the source, and the records with which a mirror can be asked over
/// HTTP.
pub(super) struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    /// Makes a folder with the small sample school.
    pub(super) fn new() -> Folder {
        Folder::with_dataset(SAMPLE)
    }

    /// Makes a folder with the school 1000 of a dataset.
    pub(super) fn with_dataset(dataset: &str) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder { folder };
        let ours = dataset
            .replace(
                r#""username":"demo""#,
                &format!(r#""username":"{USERNAME}""#),
            )
            .replace(
                r#""password":"demo""#,
                &format!(r#""password":"{PASSWORD}""#),
            );
        let ours = quick(&ours);
        let ours = ours.lines().filter(|line| !line.contains(r#"_id":1001"#));
        let of_access = ["integrator", "client_integration", "api_type"]
            .map(|kind| format!(r#"{{"type":"{kind}""#));
        let is_access = |line: &&str| of_access.iter().any(|start| line.starts_with(start));
        let access: Vec<&str> = ours.clone().filter(is_access).collect();
        let school: Vec<&str> = ours.collect();
        folder.write("school.ndjson", &school.join("\n"));
        folder.write("access.ndjson", &access.join("\n"));
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn serve(&self, store: &str, dataset: &str, more: &[&str]) -> Server {
        let datasets = [self.path(dataset)];
        Server::start_with(&self.path(store), &datasets, NOW, more).unwrap()
    }

    pub(super) fn sync(&self, address: &str, store: &str) -> Command {
        let mut command = server::rollbook("sync");
        command
            .args(["--from", &format!("http://{address}"), "--school", "1000"])
            .arg("--store")
            .arg(self.path(store))
            .args(["--now", AT])
            .env("ROLLBOOK_USERNAME", USERNAME)
            .env("ROLLBOOK_PASSWORD", PASSWORD)
            .stdin(Stdio::null());
        for proxy in ["http_proxy", "https_proxy", "all_proxy"] {
            command
                .env_remove(proxy)
                .env_remove(proxy.to_ascii_uppercase());
        }
        command
    }

    pub(super) fn synced(&self, address: &str, store: &str) -> String {
        let (code, said) = outcome(self.sync(address, store).output().unwrap());
        assert_eq!(code, Some(0), "{said}");
        assert!(!said.contains("Not fetched"), "{said}");
        said
    }

    pub(super) fn lines(&self, store: &str) -> Vec<String> {
        let engine = Engine::open(self.path(store), Options::default()).unwrap();
        assert!(engine.verify().unwrap().is_sound());
        let lines = engine.export(Credentials::LeaveOut).unwrap();
        lines.map(Result::unwrap).collect()
    }
}

/// Returns the exit code and the output, which must contain neither credentials nor content of
/// answers.
pub(super) fn outcome(output: Output) -> (Option<i32>, String) {
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    let said = said.concat();
    for secret in [USERNAME, PASSWORD, "Smith", "error_description"] {
        assert!(!said.contains(secret), "{said}");
    }
    (output.status.code(), said)
}

/// Returns the number before a word of the output.
pub(super) fn number(said: &str, word: &str) -> u64 {
    let (before, _) = said.split_once(&format!(" {word}")).unwrap();
    let last = before.rsplit([' ', '\n']).next().unwrap();
    last.replace(',', "").parse().unwrap()
}

pub(super) fn get(server: &mut Server, target: &str) -> Reply {
    let headers = [
        ("HTTP-X-USERNAME", USERNAME),
        ("HTTP-X-PASSWORD", PASSWORD),
        ("HTTP-X-SCHOOLID", "1000"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    server.ask(&Request {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers: headers.into(),
        body: String::new(),
        status: 200,
        allow: None,
        answer: String::new(),
    })
}
