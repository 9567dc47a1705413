//! Runs the current test again in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// The environment variable that marks a process as a child, and contains its task.
const TASK: &str = "ROLLBOOK_TEST_CHILD";

/// Returns the task of this process, if a test started it as a child.
pub fn task() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Starts this test binary for one test, with a task.
pub fn start(test: &str, task: &str) -> Child {
    started(Command::new(std::env::current_exe().unwrap()), test, task)
}

/// Starts this test binary as another user, which only root can do. The user need not be allowed to
/// access the folder of the binary.
#[cfg(target_os = "linux")]
pub fn start_as(user: u32, test: &str, task: &str) -> Child {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/proc/self/exe");
    command.uid(user).gid(user);
    started(command, test, task)
}

/// Starts this test binary with an address space of this size. Allocations beyond it fail.
pub fn start_within(bytes: u64, test: &str, task: &str) -> Child {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
        .arg((bytes / 1024).to_string())
        .arg(std::env::current_exe().unwrap())
        // Without this, each thread would reserve address space that it never uses.
        .env("MALLOC_ARENA_MAX", "1");
    started(shell, test, task)
}

/// Returns the number of instructions that a task takes in a process of its own, counted by
/// valgrind.
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

/// Runs work whose instructions [`counts`] counts.
#[inline(never)]
pub fn counted(work: &mut dyn FnMut()) {
    work();
    // Without this, the last call would be a jump, and this function would return before it.
    std::hint::black_box(());
}

/// The full name of [`counted`]. If a pattern names a function, valgrind does not notice its end.
const COUNTED: &str = "rollbook_tests::storage::child::counted";

/// Runs a task in a process of its own, and returns the number of instructions that each call of
/// [`counted`] takes, counted by valgrind. The files of valgrind are written to `folder`.
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
    // A process without such a test would run nothing, and succeed.
    if let Some(name) = std::thread::current()
        .name()
        .filter(|name| name.contains("::"))
    {
        assert_eq!(test, name, "the name of this test");
    }
    command
        .args([test, "--exact", "--include-ignored"])
        .args(["--nocapture", "--test-threads", "1"])
        .env(TASK, task)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// The prefix that distinguishes the lines of a child from those of the test harness.
const MARK: &str = "child: ";

/// Sends a line to the parent immediately.
pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // The harness does not end its own line before the test ends, so this text begins a new line.
    writeln!(out, "\n{MARK}{line}").unwrap();
    out.flush().unwrap();
}

/// Returns the lines that a child sends, until it ends.
pub fn lines(out: ChildStdout) -> impl Iterator<Item = String> {
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix(MARK).map(str::to_owned))
}

/// Waits until the parent sends a line or ends.
pub fn wait_for_parent() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
}
