//! The test at hand once more, in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// What tells a process that it is the child, and what to do.
const TASK: &str = "ROLLBOOK_TEST_CHILD";

/// The task of this process, if a test started it as a child.
pub fn task() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Starts this test binary for one test, with a task.
pub fn start(test: &str, task: &str) -> Child {
    started(Command::new(std::env::current_exe().unwrap()), test, task)
}

/// The same, in so many bytes of addresses: whoever asks for more gets none.
pub fn start_within(bytes: u64, test: &str, task: &str) -> Child {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
        .arg((bytes / 1024).to_string())
        .arg(std::env::current_exe().unwrap())
        // Otherwise each thread would take addresses for much that it never asks for.
        .env("MALLOC_ARENA_MAX", "1");
    started(shell, test, task)
}

/// How many instructions it takes to do a task in a process of its own, by valgrind.
pub fn instructions(test: &str, task: &str) -> u64 {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .stderr(Stdio::piped());
    let output = started(valgrind, test, task).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{task}: {said}");
    let (_, counted) = said.split_once("Collected : ").unwrap();
    counted.lines().next().unwrap().trim().parse().unwrap()
}

/// Does something whose instructions [`counts`] counts.
#[inline(never)]
pub fn counted(work: &mut dyn FnMut()) {
    work();
    // Otherwise the last call would be a jump, and this function over before it.
    std::hint::black_box(());
}

/// Its name in full: valgrind does not notice the end of a function that a pattern names.
const COUNTED: &str = "rollbook_tests::storage::child::counted";

/// How many instructions each call of [`counted`] takes while a task is done in a process
/// of its own, by valgrind. Its files are written to this folder.
pub fn counts(test: &str, task: &str, folder: &Path) -> Vec<u64> {
    let profile = folder.join("profile");
    let mut valgrind = Command::new("valgrind");
    valgrind
        .arg("--tool=callgrind")
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(std::env::current_exe().unwrap())
        .stderr(Stdio::piped());
    let output = started(valgrind, test, task).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{task}: {said} {out}");
    let profile = |number: u64| folder.join(format!("profile.{number}"));
    let dumps = (1..).map(|number| std::fs::read_to_string(profile(number)));
    dumps
        .map_while(Result::ok)
        .map(|dump| {
            let (_, total) = dump.split_once("\ntotals: ").unwrap();
            total.lines().next().unwrap().trim().parse().unwrap()
        })
        .collect()
}

fn started(mut command: Command, test: &str, task: &str) -> Child {
    command
        .args([test, "--exact", "--include-ignored"])
        .args(["--nocapture", "--test-threads", "1"])
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
