//! Exports the complete content of a store as a dataset in canonical form.

use super::line_buffer::{LineBuffer, LineSource};
use super::line_writer::{ExportFilter, LineWriter};
use super::pseudonyms::Pseudonyms;
use crate::error::Error;
use crate::record::storage::Storage;
use crate::store::Lease;

/// The lines of a dataset with all records of a store, one at a time.
///
/// The first lines are all schools, API types, integrators, client integrations, and the lists that
/// are the same for all schools. They are followed by the records of each school, kind by kind in
/// the order of the dataset format, and in the order of their keys. Empty fields and default values
/// are omitted. The lines show the store as it was when the export began. Calls that erase, compact
/// or suspend wait for an open export, but only for `writer_wait`; an export that is not read to
/// its end by then fails with `reader_ended`.
///
/// The lines are personal data, and contain password hashes unless credentials were excluded: store
/// them where no one else can read them.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Credentials, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"grade","grade_id":"09","school_id":1,"grade":"7"}"#[..])?;
/// let lines = engine.export(Credentials::Keep)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, [r#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#]);
/// # Ok(())
/// # }
/// ```
pub struct Export {
    lease: Lease,
    writer: LineWriter,
    lines: LineBuffer,
}

impl Export {
    pub(crate) fn new(lease: Lease, with_credentials: bool) -> Export {
        let has = |storage| match storage {
            Storage::Integrators => with_credentials,
            _ => true,
        };
        Export::from_writer(lease, LineWriter::of_store(None, None, has))
    }

    /// Exports pseudonymised records, without integrators and client integrations.
    pub(crate) fn pseudonymised(lease: Lease, key: &[u8; 32]) -> Export {
        let names = Box::new(Pseudonyms::new(key));
        Export::from_writer(lease, LineWriter::of_store(Some(names), None, |_| false))
    }

    /// Exports the records that a filter selects, without integrators and client integrations.
    pub(crate) fn filtered(lease: Lease, filter: Box<dyn ExportFilter>) -> Export {
        Export::from_writer(lease, LineWriter::of_store(None, Some(filter), |_| false))
    }

    fn from_writer(lease: Lease, writer: LineWriter) -> Export {
        Export {
            lease,
            writer,
            lines: LineBuffer::default(),
        }
    }
}

impl Iterator for Export {
    type Item = Result<String, Error>;

    /// Returns the next line, without its line feed.
    fn next(&mut self) -> Option<Result<String, Error>> {
        loop {
            if let Some(line) = self.lines.pop() {
                return Some(Ok(line));
            }
            if self.writer.is_empty() {
                return None;
            }
            let Export { writer, lines, .. } = self;
            match self.lease.read(|snapshot| writer.write(snapshot, lines)) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.writer.clear();
                    return Some(Err(error.into()));
                }
            }
        }
    }
}
