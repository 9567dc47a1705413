//! What this process takes, as Linux tells it. Elsewhere it is not measured.

use std::fs;

/// The memory of this process at a moment, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// All that is in memory, the program's own code included (`VmRSS`).
    pub resident: u64,
    /// What it has allocated (`RssAnon`).
    pub anonymous: u64,
}

/// The memory now.
pub fn memory() -> Option<Memory> {
    Some(Memory {
        resident: status("VmRSS:")?,
        anonymous: status("RssAnon:")?,
    })
}

/// Lets the peak begin anew. Where the kernel refuses, it stays that of the
/// whole process.
pub fn restart_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that was resident since the peak began (`VmHWM`).
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// How many bytes were handed to the system to be written so far.
pub fn written() -> Option<u64> {
    number(&fs::read_to_string("/proc/self/io").ok()?, "wchar:")
}

/// A line of the process's status, in bytes.
fn status(name: &str) -> Option<u64> {
    let kilobytes = number(&fs::read_to_string("/proc/self/status").ok()?, name)?;
    Some(kilobytes * 1024)
}

fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
