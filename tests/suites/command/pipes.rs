//! Tests of outputs that are not read to their end, or that cannot be written.

use super::folder::{Folder, ran};
use std::io::{BufRead, BufReader};

/// Reads one line of the output of a subcommand and closes the pipe. Returns the line, the exit
/// code, and the messages.
fn head(folder: &Folder, line: &str) -> (String, Option<i32>, String) {
    let mut process = folder.command(line).spawn().unwrap();
    let mut pipe = BufReader::new(process.stdout.take().unwrap());
    let mut first = String::new();
    pipe.read_line(&mut first).unwrap();
    drop(pipe);
    let ran = ran(process.wait_with_output().unwrap());
    (first, ran.code, ran.err)
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let folder = Folder::new();
    // The output is much larger than the buffer of a pipe.
    let (first, code, said) = head(&folder, "sample --learners 100000");
    assert!(first.starts_with(r#"{"type":"school""#), "{first}");
    assert_eq!((code, said.as_str()), (Some(0), ""));

    let ran = folder.run("sample --learners 10 -o school");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    folder.succeed("load --store school.redb school");
    let (line, code, said) = head(&folder, "export --store school.redb");
    assert!(line.starts_with(r#"{"type":"school""#), "{line}");
    assert_eq!((code, said.as_str()), (Some(0), ""));

    // The exit code still reports the faults.
    folder.write(
        "faulty",
        "{\"type\":\"grade\",\"school_id\":1}\n".repeat(10_000),
    );
    let (line, code, said) = head(&folder, "check --limit 1000000 faulty");
    assert_eq!(line, "faulty:1: grade: grade_id: is missing\n");
    assert_eq!((code, said.as_str()), (Some(1), "10,000 faults.\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::with_store();
    for line in [
        "export --store school.redb",
        "stats --store school.redb",
        "verify --store school.redb",
        "sample",
    ] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let ran = ran(folder.command(line).stdout(full).output().unwrap());
        assert_eq!(ran.code, Some(1), "{line}");
        let expected = "error: stdout cannot be written (No space left on device";
        assert!(ran.err.starts_with(expected), "{}", ran.err);
    }
}
