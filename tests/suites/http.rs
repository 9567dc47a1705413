//! Runs the corpus over HTTP, through `rollbook serve` with a store in a file: the answers must
//! have the same bytes.
//!
//! Datasets are loaded with `--dataset`. Operations for which the command has no option (replace,
//! remove, erase, check, export) are applied to the closed file.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

mod asking;
mod connections;
mod feeds;
mod following;
mod https;
mod login;
mod sandbox;
pub(crate) mod server;
#[cfg(unix)]
mod stopping;

use rollbook::{Credentials, Engine, Error, Options, Summary};
use rollbook_tests::corpus::{self, Case, Cursors, Expected, Request, Size, Step};
use server::{Reply, Server};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn every_case() {
    let cases = corpus::cases();
    let next = Mutex::new(cases.iter());
    let (requests, servers) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().unwrap().next() else {
                        return;
                    };
                    let mut run = Run::new();
                    if let Err(what) = run.case(case) {
                        failures
                            .lock()
                            .unwrap()
                            .push(format!("{}\n{what}", case.name));
                    }
                    requests.fetch_add(run.requests, Ordering::Relaxed);
                    servers.fetch_add(run.servers, Ordering::Relaxed);
                }
            });
        }
    });
    let (requests, servers) = (requests.into_inner(), servers.into_inner());
    println!(
        "{} cases, {requests} requests to {servers} servers",
        cases.len()
    );
    let ran = Size {
        cases: cases.len(),
        requests,
    };
    assert_eq!(ran, corpus::size());
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} cases:\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

struct Run {
    folder: tempfile::TempDir,
    datasets: Vec<PathBuf>,
    server: Option<(i64, Server)>,
    cursors: Cursors,
    requests: usize,
    servers: usize,
}

impl Run {
    fn new() -> Run {
        Run {
            folder: tempfile::tempdir().unwrap(),
            datasets: Vec::new(),
            server: None,
            cursors: Cursors::default(),
            requests: 0,
            servers: 0,
        }
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store.redb")
    }

    fn case(&mut self, case: &Case) -> Result<(), String> {
        for (place, step) in case.steps.iter().enumerate() {
            self.step(step)
                .map_err(|what| format!("step {}: {what}", place + 1))?;
        }
        // The remaining datasets must also be accepted.
        self.engine().map(drop)
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Apply(dataset, expected) => {
                let path = self
                    .folder
                    .path()
                    .join(format!("{}.ndjson", self.datasets.len()));
                std::fs::write(&path, dataset).unwrap();
                if let Some(message) = &expected.fault {
                    self.engine().map(drop)?;
                    let refusal = server::refusal(&self.store(), &path)?;
                    // The command says `FILE:LINE: what`.
                    let named = refusal.split_once(".ndjson:");
                    let named = named.map_or(String::new(), |(_, fault)| format!("line {fault}"));
                    return fits(message.fits(named.trim_end()), &refusal, message);
                }
                self.server = None;
                self.datasets.push(path);
                Ok(())
            }
            Step::Request(now, request) => {
                let sent = Request {
                    target: self.cursors.target(request),
                    ..request.clone()
                };
                let reply = self.server(*now)?.ask(&sent);
                self.requests += 1;
                let bodiless = request.status == 204 || request.method == "HEAD";
                let body = if bodiless {
                    String::new()
                } else if self.cursors.fits(&reply.body, &request.answer) {
                    reply.body.clone()
                } else {
                    request.answer.clone()
                };
                let length = if bodiless {
                    request.answer.len()
                } else {
                    body.len()
                };
                let expected = Reply {
                    status: request.status,
                    allow: request.allow.clone(),
                    content_type: Some(rollbook::Status::CONTENT_TYPE.to_owned()),
                    content_length: (request.status != 204).then_some(length),
                    body,
                };
                fits(reply == expected, &reply, &expected)
            }
            Step::ReplaceSchool(school, dataset, expected) => changed(
                &self.engine()?.replace_school(*school, dataset.as_bytes()),
                expected,
            ),
            Step::RemoveSchool(school, expected) => {
                changed(&self.engine()?.remove_school(*school), expected)
            }
            Step::EraseLearner(school, learner, expected) => {
                changed(&self.engine()?.erase_learner(*school, *learner), expected)
            }
            Step::Check(dataset, limit, expected) => {
                let faults = self.engine()?.check(dataset.as_bytes(), *limit);
                let faults: Vec<_> = faults.unwrap().iter().map(ToString::to_string).collect();
                let all = expected
                    .iter()
                    .zip(&faults)
                    .all(|(message, fault)| message.fits(fault));
                fits(all && faults.len() == expected.len(), &faults, expected)
            }
            Step::Export(expected) => {
                let lines = self.engine()?.export(Credentials::LeaveOut).unwrap();
                let export: String = lines.map(|line| line.unwrap() + "\n").collect();
                fits(export == *expected, &export, expected)
            }
        }
    }

    /// Returns a server at this instant, and starts it if necessary.
    fn server(&mut self, now: i64) -> Result<&mut Server, String> {
        if self.server.as_ref().is_none_or(|(at, _)| *at != now) {
            self.server = None;
            let datasets = std::mem::take(&mut self.datasets);
            let server = Server::start(&self.store(), &datasets, now)?;
            self.servers += 1;
            self.server = Some((now, server));
        }
        Ok(&mut self.server.as_mut().unwrap().1)
    }

    /// Stops the server and opens its store.
    fn engine(&mut self) -> Result<Engine, String> {
        if !self.datasets.is_empty() {
            self.server(0)?;
        }
        self.server = None;
        Engine::open(self.store(), Options::default()).map_err(|error| error.to_string())
    }
}

fn fits(
    fits: bool,
    found: &impl std::fmt::Debug,
    expected: &impl std::fmt::Debug,
) -> Result<(), String> {
    if fits {
        Ok(())
    } else {
        Err(format!("found {found:#?}\nexpected {expected:#?}"))
    }
}

fn changed(found: &Result<Summary, Error>, expected: &Expected) -> Result<(), String> {
    let as_expected = match (found, &expected.fault) {
        (Ok(_), None) => true,
        (Err(error), Some(message)) => message.fits(&error.to_string()),
        _ => false,
    };
    fits(as_expected, found, expected)
}

/// The rules of a server that do not concern answers.
mod server_rules {
    use super::server::Server;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    fn started() -> (tempfile::TempDir, Server) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.redb");
        let server = Server::start(&store, &[], 0).unwrap();
        (folder, server)
    }

    fn raw(server: &Server, bytes: &[u8], then_end: bool) -> String {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream.write_all(bytes).unwrap();
        if then_end {
            stream.shutdown(std::net::Shutdown::Write).unwrap();
        }
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    const PATCH: &str =
        "PATCH /api/v1/settings/clients/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

    #[test]
    fn a_wrong_content_length_is_refused_and_delays_no_other_client() {
        let (_folder, server) = started();
        // The length is too large, and the client ends the connection.
        let cut = raw(
            &server,
            format!("{PATCH}Content-Length: 100\r\n\r\n{{").as_bytes(),
            true,
        );
        assert!(cut.is_empty() || cut.starts_with("HTTP/1.1 400"), "{cut}");
        // The length is too large, and the client sends nothing more.
        let start = Instant::now();
        let slow = raw(
            &server,
            format!("{PATCH}Content-Length: 100\r\n\r\n{{").as_bytes(),
            false,
        );
        assert!(slow.starts_with("HTTP/1.1 408"), "{slow}");
        assert!(start.elapsed() < Duration::from_secs(25));
        // The length is too small: the rest is not a request.
        let short = raw(
            &server,
            format!("{PATCH}Content-Length: 1\r\n\r\n{{}}{{}}").as_bytes(),
            false,
        );
        assert!(short.starts_with("HTTP/1.1 401"), "{short}");
        // The length is not a number.
        let none = raw(
            &server,
            format!("{PATCH}Content-Length: x\r\n\r\n").as_bytes(),
            false,
        );
        assert!(none.starts_with("HTTP/1.1 400"), "{none}");
        // The body is larger than the limit.
        let huge = format!(
            "{PATCH}Content-Length: 1000000\r\n\r\n{}",
            "x".repeat(1_000_000)
        );
        let huge = raw(&server, huge.as_bytes(), false);
        assert!(
            huge.is_empty() || huge.starts_with("HTTP/1.1 401"),
            "{huge}"
        );
        // The server does not wait for the rest of a body beyond the limit.
        let start = format!(
            "{PATCH}Content-Length: 1000000\r\n\r\n{}",
            "x".repeat(65_537)
        );
        let start = raw(&server, start.as_bytes(), false);
        assert!(start.starts_with("HTTP/1.1 401"), "{start}");
        // The server still answers.
        let alive = raw(
            &server,
            b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            false,
        );
        assert!(alive.starts_with("HTTP/1.1 404"), "{alive}");
    }

    #[test]
    fn too_many_logins_at_once_are_asked_to_try_again() {
        let (_folder, server) = started();
        let mut crowd: Vec<_> = (0..150)
            .map(|_| TcpStream::connect(server.address()).unwrap())
            .collect();
        for (number, stream) in crowd.iter_mut().enumerate() {
            let login = format!(
                "GET /api/v1/settings/clients HTTP/1.1\r\nHost: x\r\nConnection: close\r\nHTTP-X-USERNAME: nobody{number}\r\n\r\n"
            );
            stream.write_all(login.as_bytes()).unwrap();
        }
        let replies = crowd.into_iter().map(|mut stream| {
            let wait = Some(Duration::from_secs(60));
            stream.set_read_timeout(wait).unwrap();
            let mut reply = String::new();
            stream.read_to_string(&mut reply).unwrap();
            reply
        });
        let (refused, crowded): (Vec<_>, Vec<_>) =
            replies.partition(|reply| reply.starts_with("HTTP/1.1 401 "));
        assert!(refused.len() >= 64 && !crowded.is_empty());
        for reply in crowded {
            assert!(reply.starts_with("HTTP/1.1 503 "), "{reply}");
            assert!(reply.contains("content-type: application/json"), "{reply}");
            let text = r#"{"error":"Service Unavailable","error_description":"Too many logins are waiting: try again in a moment"}"#;
            assert!(reply.ends_with(text), "{reply}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn it_stops_cleanly_on_a_signal() {
        let (folder, server) = started();
        assert!(server.stop().success());
        let engine = rollbook::Engine::open(
            folder.path().join("store.redb"),
            rollbook::Options::default(),
        );
        assert!(engine.unwrap().verify().unwrap().is_sound());
    }
}
