//! The test at hand once more, in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// What tells a process that it is the child, and what to do.
const TASK: &str = "ROLLBOOK_TEST_CHILD";

/// The task of this process, if a test started it as a child.
pub fn task() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Starts this test binary for one test, with a task.
pub fn start(test: &str, task: &str) -> Child {
    let binary = std::env::current_exe().unwrap();
    let mut command = Command::new(binary);
    command
        .args([test, "--exact", "--nocapture", "--test-threads", "1"])
        .env(TASK, task)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// What marks the lines that a child says from those of the test harness.
const MARK: &str = "child: ";

/// Says something to the parent, at once.
pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // The harness ends none of its lines before the test ends.
    writeln!(out, "\n{MARK}{line}").unwrap();
    out.flush().unwrap();
}

/// What a child says, line by line, until it ends.
pub fn lines(out: ChildStdout) -> impl Iterator<Item = String> {
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix(MARK).map(str::to_owned))
}

/// Waits for the parent to say something, or to end.
pub fn wait_for_parent() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}
