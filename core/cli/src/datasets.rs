//! The datasets of the arguments, which are read as a single one.

use crate::UsageError;
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use rollbook::{Engine, Fault, Summary};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The argument that means the standard input.
const STDIN: &str = "-";
/// The first bytes of a file of gzip.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A reader of several datasets, one after the other, with a progress bar on stderr. Datasets that
/// are compressed with gzip are unpacked.
pub(crate) struct Datasets<'a> {
    paths: std::slice::Iter<'a, PathBuf>,
    /// The names of the datasets that were opened, with the number of the lines before each.
    opened: Vec<(String, u64)>,
    current: Option<Box<dyn Read>>,
    /// The number of complete lines that were read.
    lines: u64,
    /// Whether the last byte that was read ends a line.
    is_line_ended: bool,
    /// Describes why a dataset could not be read.
    failure: Option<String>,
    bar: ProgressBar,
}

impl<'a> Datasets<'a> {
    /// Checks that the datasets exist. They are opened when they are read.
    pub(crate) fn new(paths: &'a [PathBuf]) -> Result<Datasets<'a>, Box<dyn std::error::Error>> {
        let mut size = Some(0);
        let mut has_stdin = false;
        for path in paths {
            if is_stdin(path) {
                if has_stdin {
                    return Err(UsageError("stdin (-) can be given only once".to_owned()).into());
                }
                has_stdin = true;
                size = None;
                continue;
            }
            let metadata = path.metadata().map_err(|error| describe(path, &error))?;
            if metadata.is_dir() {
                let path = path.display();
                return Err(format!("{path} is a folder: give the files in it").into());
            }
            size = size.filter(|_| metadata.is_file());
            size = size.map(|size| size + metadata.len());
        }
        Ok(Datasets {
            paths: paths.iter(),
            opened: Vec::new(),
            current: None,
            lines: 0,
            is_line_ended: true,
            failure: None,
            bar: progress_bar(size)?,
        })
    }

    /// Describes an error of the engine that has read the datasets. Returns `None` if the error has
    /// another cause.
    pub(crate) fn describe(&self, error: &rollbook::Error) -> Option<String> {
        match error {
            _ if self.failure.is_some() => self.failure.clone(),
            rollbook::Error::BadDataset(fault) => {
                let (name, line) = self.place(fault);
                Some(format!("{name}:{line}: {}", fault.what))
            }
            _ => None,
        }
    }

    /// Returns the name of the dataset that has a fault, and the number of the line in it.
    pub(crate) fn place(&self, fault: &Fault) -> (&str, u64) {
        let mut opened = self.opened.iter().rev();
        match opened.find(|(_, before)| *before < fault.line) {
            Some((name, before)) => (name, fault.line - before),
            None => ("", fault.line),
        }
    }

    /// Returns the number of lines that were read.
    pub(crate) fn line_count(&self) -> u64 {
        self.lines + u64::from(!self.is_line_ended)
    }

    /// Opens a dataset, which begins a new line. A byte order mark at its start is skipped; that of
    /// the first dataset is skipped by the engine.
    fn open(&mut self, path: &Path) -> io::Result<Box<dyn Read>> {
        let name = if is_stdin(path) {
            "stdin".to_owned()
        } else {
            path.display().to_string()
        };
        let is_first = self.opened.is_empty();
        self.opened.push((name, self.line_count()));
        let file: Box<dyn Read> = if is_stdin(path) {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path)?)
        };
        let (magic, file) = peek(file, GZIP_MAGIC.len())?;
        let file = self.bar.wrap_read(file);
        let mut dataset: Box<dyn Read> = if magic == GZIP_MAGIC {
            Box::new(MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        if is_first {
            return Ok(dataset);
        }
        let mut start = Vec::new();
        (&mut dataset)
            .take(BYTE_ORDER_MARK.len() as u64)
            .read_to_end(&mut start)?;
        if start == BYTE_ORDER_MARK.as_bytes() {
            start.clear();
        }
        if !self.is_line_ended {
            start.insert(0, b'\n');
        }
        Ok(Box::new(Cursor::new(start).chain(dataset)))
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(dataset) = &mut self.current {
                let read = dataset.read(buffer)?;
                if read > 0 {
                    return Ok(read);
                }
                self.current = None;
            }
            let Some(path) = self.paths.next() else {
                return Ok(0);
            };
            self.current = Some(self.open(path)?);
        }
    }

    /// Shows that all bytes were read, while the records are stored.
    fn show_end(&self) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} storing {bytes}, {elapsed}") {
            self.bar.set_style(style);
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
    }
}

impl Read for Datasets<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.read_some(buffer) {
            Ok(read) => read,
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    let name = self.opened.last().map_or("", |(name, _)| name);
                    self.failure = Some(describe(Path::new(name), &error));
                }
                return Err(error);
            }
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        match bytes.last() {
            Some(last) => self.is_line_ended = *last == b'\n',
            None => self.show_end(),
        }
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        Ok(read)
    }
}

impl Drop for Datasets<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Applies one dataset.
pub(crate) fn apply(
    engine: &Engine,
    path: &PathBuf,
) -> Result<Summary, Box<dyn std::error::Error>> {
    let mut dataset = Datasets::new(std::slice::from_ref(path))?;
    let applied = engine.apply(&mut dataset);
    applied.map_err(|error| match dataset.describe(&error) {
        Some(what) => what.into(),
        None => error.into(),
    })
}

/// Returns whether the argument means the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

fn describe(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => format!("{path}: there is no such dataset"),
        _ => format!("{path}: the dataset cannot be read ({error})"),
    }
}

/// Reads the first bytes, and returns them with a reader that has them again.
fn peek<R: Read>(mut reader: R, bytes: usize) -> io::Result<(Vec<u8>, impl Read)> {
    let mut start = Vec::new();
    (&mut reader).take(bytes as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// Returns a bar for datasets of a size, or of an unknown size. It is hidden if stderr is not a
/// terminal.
fn progress_bar(size: Option<u64>) -> Result<ProgressBar, Box<dyn std::error::Error>> {
    let (bar, template) = match size {
        Some(size) => (
            ProgressBar::new(size),
            "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        ),
        None => (
            ProgressBar::no_length(),
            "{spinner} {bytes}, {bytes_per_sec}, {elapsed}",
        ),
    };
    Ok(bar.with_style(ProgressStyle::with_template(template)?))
}
