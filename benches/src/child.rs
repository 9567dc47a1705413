//! Runs this program again in a process of its own, so that its memory is not shared with other
//! measurements, or so that it can be killed. The child writes its results as lines of JSON.

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// The first argument of a child. The second one is its task.
pub const ARGUMENT: &str = "--child";

/// Starts a child with a task.
pub fn start(task: &impl Serialize) -> Result<(Child, BufReader<ChildStdout>)> {
    let mut child = Command::new(std::env::current_exe()?)
        .args([ARGUMENT, &serde_json::to_string(task)?])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().context("a child without output")?;
    Ok((child, BufReader::new(out)))
}

/// Runs a child, and returns its result.
pub fn run<T: DeserializeOwned>(task: &impl Serialize) -> Result<T> {
    let (mut child, mut out) = start(task)?;
    let mut said = String::new();
    out.read_to_string(&mut said)?;
    let ended = child.wait()?;
    ensure!(
        ended.success(),
        "a child failed at {}",
        serde_json::to_string(task)?
    );
    Ok(serde_json::from_str(&said)?)
}

/// Returns the next line that a child writes, if there is one.
pub fn hear<T: DeserializeOwned>(out: &mut impl BufRead) -> Result<Option<T>> {
    let mut line = String::new();
    out.read_line(&mut line)?;
    // A killed child may leave half a line.
    let whole = line.strip_suffix('\n');
    Ok(whole.map(serde_json::from_str).transpose()?)
}

/// Writes a result for the parent immediately.
pub fn say(what: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)?;
    Ok(out.flush()?)
}

/// Waits until the process is killed or the parent ends.
pub fn wait() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
