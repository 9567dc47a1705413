//! Writes results to stdout, or lines to a file. A reader that has closed the pipe wants no more,
//! which is no error.

use crate::interrupts::on_interrupt;
use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The argument that means the standard output.
const STDOUT: &str = "-";

/// The numbers of what was written.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

/// Prints a text, which ends its last line itself.
pub(crate) fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes());
    unless_closed(printed.and_then(|()| stdout.flush()))
}

/// Returns the file that an argument names, or `None` for stdout.
pub(crate) fn file_of(argument: Option<&Path>) -> Option<&Path> {
    argument.filter(|path| path.as_os_str() != STDOUT)
}

/// Writes lines to a file, or to stdout. The file is complete, or remains as it was: the lines are
/// first written to a file beside it.
pub(crate) fn write_lines<E: Into<Box<dyn Error>>>(
    file: Option<&Path>,
    lines: impl Iterator<Item = Result<String, E>>,
) -> Result<Written, Box<dyn Error>> {
    let Some(path) = file else {
        return write_to_stdout(lines);
    };
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => {
            format!("{}: its folder does not exist", path.display())
        }
        _ => format!("{} cannot be written ({error})", path.display()),
    };
    let target = match fs::metadata(path) {
        // A link remains, and the file that it names is replaced.
        Ok(metadata) if metadata.is_file() => path.canonicalize().map_err(failed)?,
        // A device or a pipe cannot be replaced.
        Ok(_) => {
            let mut device = fs::OpenOptions::new();
            let device = device.write(true).open(path).map_err(failed)?;
            return write_all(device, lines, failed);
        }
        Err(_) => path.to_owned(),
    };
    let temporary = create_beside(&target).map_err(failed)?;
    let written = write_all(temporary.as_file(), lines, failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary
        .persist(target)
        .map_err(|error| failed(error.error))?;
    Ok(written)
}

/// Writes lines to stdout until the reader closes the pipe.
fn write_to_stdout<E: Into<Box<dyn Error>>>(
    lines: impl Iterator<Item = Result<String, E>>,
) -> Result<Written, Box<dyn Error>> {
    let mut written = Written::default();
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    for line in lines {
        if let Err(error) = write_line(&mut stdout, &line.map_err(Into::into)?, &mut written) {
            // What the buffer contains cannot be written either.
            drop(stdout.into_parts());
            unless_closed(Err(error))?;
            return Ok(written);
        }
    }
    unless_closed(stdout.flush())?;
    Ok(written)
}

fn write_all<E: Into<Box<dyn Error>>>(
    file: impl Write,
    lines: impl Iterator<Item = Result<String, E>>,
    failed: impl Fn(io::Error) -> String,
) -> Result<Written, Box<dyn Error>> {
    let mut written = Written::default();
    let mut file = BufWriter::with_capacity(64 << 10, file);
    for line in lines {
        write_line(&mut file, &line.map_err(Into::into)?, &mut written).map_err(&failed)?;
    }
    file.flush().map_err(failed)?;
    Ok(written)
}

fn write_line(out: &mut impl Write, line: &str, written: &mut Written) -> io::Result<()> {
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")?;
    written.lines += 1;
    written.bytes += line.len() as u64 + 1;
    Ok(())
}

/// Creates a temporary file in the folder of a path. It is removed if the command fails or is
/// interrupted. Only its owner can read it, because it can contain personal data.
fn create_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let temporary = tempfile::Builder::new()
        .prefix("rollbook-")
        .suffix(".part")
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let created: PathBuf = temporary.path().to_owned();
    on_interrupt(move || {
        let _ = fs::remove_file(&created);
        eprintln!("rollbook: interrupted; nothing was written");
        std::process::exit(130);
    })?;
    Ok(temporary)
}

/// Describes an error of stdout, unless its reader has closed the pipe.
fn unless_closed(written: io::Result<()>) -> Result<(), String> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("stdout cannot be written ({error})"))
        }
        _ => Ok(()),
    }
}
