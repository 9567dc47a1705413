//! Tests the scripts that run the tests: a part or a test that hangs, dies or cannot run is
//! reported as failed, the others run nevertheless, and no process remains.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Returns the command of a script in the folder `tests`, without `CI`, which reports into the
/// folder.
fn script(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    command.env_remove("CI").env("ROLLBOOK_PARTS", folder);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the content of a file that the script wrote in its folder.
fn written(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

/// Waits until no process runs `sleep` with this argument, and returns whether that happened in
/// time.
fn has_ended(seconds: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let found = Command::new("pgrep")
            .args(["-f", &format!("^sleep {seconds}$")])
            .output()
            .unwrap();
        match found.status.code() {
            Some(1) => return true,
            Some(0) => {}
            _ => panic!("pgrep failed: {found:?}"),
        }
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns a number of seconds that no other process passes to `sleep`.
fn own_seconds(nth: u32) -> String {
    format!("9{:07}{nth}", std::process::id())
}

#[test]
fn a_part_that_hangs_ends_with_all_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let (inner, outer) = (own_seconds(1), own_seconds(2));
    let hangs = format!("trap '' TERM; sleep {inner} & sleep {outer}; while :; do sleep 1; done");
    let begun = Instant::now();
    let output = script("part", folder.path())
        .env("ROLLBOOK_PART_SECONDS", "1")
        .args(["suite", "hangs", "bash", "-c", &hangs])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(124), "{}", said(&output));
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(said(&output).contains("FAILED"), "{}", said(&output));
    assert!(written(folder.path(), "failures").starts_with("suite, hangs: "));
    assert!(written(folder.path(), "parts").ends_with("\tfailed\n"));
    assert!(has_ended(&inner) && has_ended(&outer));
}

#[test]
fn a_part_leaves_no_process_behind() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = own_seconds(3);
    let output = script("part", folder.path())
        .args([
            "suite",
            "leaves",
            "bash",
            "-c",
            &format!("sleep {daemon} & echo left"),
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(written(folder.path(), "parts").ends_with("\tpassed\n"));
    assert!(has_ended(&daemon));
}

#[test]
fn a_part_that_dies_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let output = script("part", folder.path())
        .args(["suite", "dies", "bash", "-c", "kill -KILL $$"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(137), "{}", said(&output));
    assert_eq!(
        written(folder.path(), "failures"),
        "suite, dies: it ended with status 137\n"
    );
}

#[test]
fn a_test_that_its_runner_left_out_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        "test a::b ... ignored, it needs a moon",
        "test a::c ... ok",
        "﹣ d e (0.3ms) # it needs a sun",
        "SKIPPED [1] tests/f.py:3: it needs a star",
        "test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
    ];
    let output = script("part", folder.path())
        .args(["suite", "rises", "printf", "%s\\n"])
        .args(lines)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let left = "suite, a::b: it needs a moon\nsuite, d e: it needs a sun\n\
        suite, skipped: tests/f.py:3: it needs a star\n";
    assert_eq!(written(folder.path(), "left"), left);
    let parts = written(folder.path(), "parts");
    assert!(parts.ends_with("\t1\tpassed\n"), "{parts}");
}

#[test]
fn a_part_that_is_interrupted_ends_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let seconds = own_seconds(4);
    let begun = folder.path().join("begun");
    let waits = format!("touch {}; sleep {seconds}", begun.display());
    let mut part = script("part", folder.path())
        .args(["suite", "waits", "bash", "-c", &waits])
        .spawn()
        .unwrap();
    while !begun.exists() {
        assert!(part.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").arg(part.id().to_string()).status();
    assert!(killed.unwrap().success());
    assert_eq!(part.wait().unwrap().code(), Some(143));
    assert!(has_ended(&seconds));
}

#[test]
fn a_skipped_part_is_a_failure_in_ci_alone() {
    for (how, ci, code, outcome) in [
        ("--skip", "", 0, "it needs a moon"),
        ("--skip", "true", 1, "failed"),
        ("--elsewhere", "true", 0, "it needs a moon"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = script("part", folder.path())
            .env("CI", ci)
            .args([how, "suite", "rises", "it needs a moon"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{how} {ci}");
        let parts = written(folder.path(), "parts");
        assert_eq!(parts, format!("suite\trises\t0\t0\t{outcome}\n"));
        let failures = written(folder.path(), "failures");
        assert_eq!(failures.is_empty(), code == 0, "{failures}");
    }
}

/// Replaces cargo. Its tests are `a` to `h`, reported in the format of libtest: `b` fails, `c`
/// hangs and `f` kills the program.
const CARGO: &str = r#"#!/usr/bin/env bash
shift
names=() exact= list=
for argument in "$@"; do
  case $argument in
    --) ;;
    --exact) exact=yes ;;
    --list) list=yes ;;
    *) names+=("$argument") ;;
  esac
done
[ -n "$exact" ] || names=(a b c d e f g h)
if [ -n "$list" ]; then printf '%s: test\n' "${names[@]}"; exit; fi
status=0
for name in "${names[@]}"; do
  echo "$name" >>"$ROLLBOOK_PARTS/runs"
  case $name in
    b) echo "test b ... FAILED"; status=101 ;;
    c) sleep "$HANGS" ;;
    f) kill -KILL $$ ;;
    *) echo "test $name ... ok" ;;
  esac
done
echo "test result: done"
exit $status
"#;

#[test]
fn a_test_that_hangs_or_dies_affects_no_other() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    fs::write(&cargo, CARGO).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let seconds = own_seconds(5);
    let output = script("each", folder.path())
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .env("HANGS", &seconds)
        .env("RUST_TEST_THREADS", "1")
        .env("ROLLBOOK_TEST_SECONDS", "1")
        .output()
        .unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let mut passed: Vec<&str> = said
        .lines()
        .filter(|line| line.ends_with(" ... ok"))
        .collect();
    passed.sort_unstable();
    let expected = ["a", "d", "e", "g", "h"].map(|name| format!("test {name} ... ok"));
    assert_eq!(passed, expected);
    for name in ["b", "c", "f"] {
        let line = format!("test {name} ... FAILED");
        assert_eq!(
            said.lines().filter(|said| **said == line).count(),
            1,
            "{said}"
        );
    }
    let runs = written(folder.path(), "runs");
    assert_eq!(runs.matches('c').count(), 2, "{runs}");
    assert!(has_ended(&seconds));
}
