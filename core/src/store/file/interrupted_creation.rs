//! Detects what remains on a backend if the creation of a database is interrupted. redb would
//! refuse to open it forever.

use redb::backends::InMemoryBackend;
use redb::{Database, StorageBackend};
use std::io;
use std::sync::Arc;

const MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// Returns whether the bytes are a database whose creation was interrupted, and nothing else: they
/// are as long as a new database, and each byte is either zero or the one that redb writes there.
pub(crate) fn is_left_in(bytes: &impl StorageBackend) -> io::Result<bool> {
    let new = before_the_first_sync()?;
    if bytes.len()? != new.len() as u64 {
        return Ok(false);
    }
    let mut found = vec![0; new.len()];
    bytes.read(0, &mut found)?;
    let magic = MAGIC.iter().copied().map(Some);
    let written = magic.chain(std::iter::repeat(None));
    let mut bytes = found.iter().zip(&new).zip(written);
    Ok(bytes.all(|((found, new), magic)| *found == 0 || found == new || Some(*found) == magic))
}

/// Returns a new database without its magic number, which redb writes when the rest is durable.
fn before_the_first_sync() -> io::Result<Vec<u8>> {
    let bytes = Arc::new(InMemoryBackend::new());
    let created = Database::builder()
        .set_cache_size(0)
        .create_with_backend(Unsynced(bytes.clone()));
    drop(created);
    let mut left = vec![0; usize::try_from(bytes.len()?).unwrap_or(0)];
    bytes.read(0, &mut left)?;
    Ok(left)
}

/// A backend whose sync fails, so that the creation of a database stops there.
#[derive(Debug)]
struct Unsynced(Arc<InMemoryBackend>);

impl StorageBackend for Unsynced {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::file::interrupted_creation::*;

    fn is_left(bytes: &[u8]) -> io::Result<bool> {
        let backend = InMemoryBackend::new();
        backend.set_len(bytes.len() as u64)?;
        backend.write(0, bytes)?;
        is_left_in(&backend)
    }

    #[test]
    fn only_an_interrupted_creation_is_detected() -> io::Result<()> {
        let new = before_the_first_sync()?;
        assert!(new.len() > 1 << 20 && new.iter().any(|byte| *byte != 0));
        assert!(is_left(&new)?);
        assert!(is_left(&vec![0; new.len()])?);
        let mut half_named = new.clone();
        half_named.splice(..5, *b"redb\x1a");
        assert!(is_left(&half_named)?);

        assert!(!is_left(&[])?);
        assert!(!is_left(&vec![0; new.len() - 1])?);
        assert!(!is_left(&vec![0; new.len() + 1])?);
        for offset in [0, 9, 12, 64, 319, 320, 511, 4095, 4096, new.len() - 1] {
            let mut other = new.clone();
            if let Some(byte) = other.get_mut(offset) {
                *byte = b'x';
            }
            assert!(!is_left(&other)?, "byte {offset}");
        }
        Ok(())
    }
}
