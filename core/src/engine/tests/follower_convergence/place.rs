//! A store in memory that outlives its engine, and can be copied and restored.

use crate::error::Result;
use crate::{Compaction, Engine, Options};
use redb::StorageBackend;
use redb::backends::InMemoryBackend;
use std::io;
use std::sync::Arc;

/// The bytes of a store, shared by all clones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place(Arc<InMemoryBackend>);

impl Place {
    pub(crate) fn from_bytes(bytes: &[u8]) -> io::Result<Place> {
        let place = Place::default();
        place.set_len(bytes.len() as u64)?;
        place.write(0, bytes)?;
        Ok(place)
    }

    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.len()?).unwrap_or(0)];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn copy(&self) -> io::Result<Place> {
        Place::from_bytes(&self.bytes()?)
    }

    pub(crate) fn open(&self, journal_bytes: u64) -> Result<Engine> {
        let options = Options {
            journal_bytes,
            compaction: Compaction::Manual,
            ..Options::default()
        };
        Ok(Engine::open_with_backend(self.clone(), options)?)
    }
}

impl StorageBackend for Place {
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
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}
