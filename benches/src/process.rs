//! The memory that this process takes, as Linux tells it. Elsewhere it is not
//! measured.

use std::fs;

/// The bytes that are in memory now, the program's own code included.
pub fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// Lets the peak begin anew. Where the kernel refuses, it stays that of the
/// whole process.
pub fn restart_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most that was resident since the peak began.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// A line of the process's status, in bytes.
fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
