//! This program once more, in a process of its own: so that its memory is
//! clean, or that it can be killed. It says its results as lines of JSON.

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// The first argument of a child; its task is the second.
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

/// What a child says to its task.
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

/// The next thing that a child says, if it says one.
pub fn hear<T: DeserializeOwned>(out: &mut impl BufRead) -> Result<Option<T>> {
    let mut line = String::new();
    out.read_line(&mut line)?;
    // A killed child may leave half a line.
    let whole = line.strip_suffix('\n');
    Ok(whole.map(serde_json::from_str).transpose()?)
}

/// Says something to the parent, at once.
pub fn say(what: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line)?;
    Ok(out.flush()?)
}

/// Waits to be killed, or for the parent to end.
pub fn wait() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
