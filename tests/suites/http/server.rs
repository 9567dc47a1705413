//! `rollbook serve` as a process, and a client that sends given requests.

use rollbook_tests::corpus::Request;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// Returns a command that runs a subcommand of `rollbook`, which `tests/material` builds.
pub(crate) fn rollbook(subcommand: &str) -> Command {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/material"))
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().into()
    });
    let mut command = Command::new(folder.join("rollbook"));
    command.arg(subcommand);
    command
}

/// Returns a command that serves at any free port, without a log.
pub(crate) fn serve() -> Command {
    let mut command = rollbook("serve");
    command.args(["--listen", "0", "--quiet"]);
    command
}

fn command(store: &Path, datasets: &[PathBuf]) -> Command {
    let mut command = serve();
    command.arg("--store").arg(store);
    for dataset in datasets {
        command.arg("--dataset").arg(dataset);
    }
    command
}

/// Returns the error message for a dataset that the command must refuse.
pub(crate) fn refusal(store: &Path, dataset: &Path) -> Result<String, String> {
    let datasets = [dataset.to_owned()];
    let output = command(store, &datasets)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() || !output.stdout.is_empty() {
        return Err("a bad dataset was served".to_owned());
    }
    Ok(String::from_utf8(output.stderr).unwrap())
}

pub(crate) struct Server {
    process: Child,
    address: String,
}

/// A reply of the server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) allow: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) content_length: Option<usize>,
    pub(crate) body: String,
}

impl Server {
    pub(crate) fn start(store: &Path, datasets: &[PathBuf], now: i64) -> Result<Server, String> {
        Server::start_with(store, datasets, now, &[])
    }

    /// Starts a server with more arguments.
    pub(crate) fn start_with(
        store: &Path,
        datasets: &[PathBuf],
        now: i64,
        more: &[&str],
    ) -> Result<Server, String> {
        let now = jiff::Timestamp::from_second(now).unwrap().to_string();
        let mut command = command(store, datasets);
        Server::run(command.args(["--now", &now]).args(more))
    }

    /// Runs a command that starts a server.
    pub(crate) fn run(command: &mut Command) -> Result<Server, String> {
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        match line.trim_end().strip_prefix("listening on http://") {
            Some(address) => Ok(Server {
                address: address.to_owned(),
                process,
            }),
            None => {
                let mut said = String::new();
                process
                    .stderr
                    .take()
                    .unwrap()
                    .read_to_string(&mut said)
                    .unwrap();
                Err(format!("the server did not start: {said}"))
            }
        }
    }

    /// Reads stderr up to the line that contains a text.
    #[cfg(unix)]
    pub(crate) fn read_until(&mut self, text: &str) -> String {
        let stderr = self.process.stderr.as_mut().unwrap();
        let (mut said, mut byte) = (String::new(), [0]);
        while !said.ends_with('\n') || !said.contains(text) {
            assert_eq!(stderr.read(&mut byte).unwrap(), 1, "it ended: {said}");
            said.push(byte[0].into());
        }
        said
    }

    /// Closes the pipe to which the server writes its stderr.
    #[cfg(unix)]
    pub(crate) fn close_stderr(&mut self) {
        self.process.stderr = None;
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Stops the server with a signal and waits until it has ended.
    #[cfg(unix)]
    pub(crate) fn stop(self) -> std::process::ExitStatus {
        self.stop_and_read().0
    }

    /// Sends a signal to the server, such as `-TERM`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Stops the server like `stop`, and also returns its stderr.
    #[cfg(unix)]
    pub(crate) fn stop_and_read(self) -> (std::process::ExitStatus, String) {
        self.signal("-TERM");
        self.wait()
    }

    /// Waits until the server has ended. Also returns its stderr.
    #[cfg(unix)]
    pub(crate) fn wait(mut self) -> (std::process::ExitStatus, String) {
        for _ in 0..800 {
            if let Some(status) = self.process.try_wait().unwrap() {
                let mut said = String::new();
                if let Some(mut stderr) = self.process.stderr.take() {
                    stderr.read_to_string(&mut said).unwrap();
                }
                return (status, said);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("it does not end");
    }

    /// Sends a request without changes, on its own connection.
    pub(crate) fn ask(&mut self, request: &Request) -> Reply {
        reply(self.send(request))
    }

    /// Sends a request as [`ask`](Self::ask) does, and does not wait for the reply.
    pub(crate) fn send(&self, request: &Request) -> TcpStream {
        send(&self.address, request)
    }
}

/// Returns the first line that a process writes to its stdout, which is a pipe.
pub(crate) fn first_line(process: &mut Child) -> String {
    let (mut line, mut byte) = (String::new(), [0]);
    let stdout = process.stdout.as_mut().unwrap();
    while !line.ends_with('\n') {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "it ended: {line}");
        line.push(byte[0].into());
    }
    line
}

/// Sends a request to a server, on its own connection.
pub(crate) fn send(address: &str, request: &Request) -> TcpStream {
    let mut text = format!(
        "{} {} HTTP/1.1\r\nHost: {address}\r\n",
        request.method, request.target
    );
    for (name, value) in &request.headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    let _ = write!(
        text,
        "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
        request.body.len(),
        request.body
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// Reads a reply until the connection ends.
pub(crate) fn reply(mut stream: TcpStream) -> Reply {
    let wait = Some(Duration::from_secs(60));
    stream.set_read_timeout(wait).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    parse(&String::from_utf8(reply).unwrap())
}

fn parse(reply: &str) -> Reply {
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((reply, ""));
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let headers: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
    let header = |name: &str| {
        let named = headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| (*value).to_owned())
    };
    Reply {
        status: status.unwrap_or(0),
        allow: header("allow"),
        content_type: header("content-type"),
        content_length: header("content-length").and_then(|length| length.parse().ok()),
        body: body.to_owned(),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
