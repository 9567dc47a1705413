//! The memory of this process, as Linux reports it. On other systems it is not measured.

use std::fs;

/// Returns the number of bytes in memory, including the program's code.
pub fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// Resets the peak. If the kernel refuses, the peak is that of the whole process.
pub fn restart_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Returns the maximum number of bytes in memory since the peak was reset.
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// Returns a line of the process's status, in bytes.
fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
