//! The end of a store's life in a process, for good or for a while.

use super::file;
use super::gate::{State, Store};
use super::open::Open;
use super::panics::catch_panic;
use crate::error::{Error, Result};
use std::sync::PoisonError;

impl Store {
    /// Closes the file and gives its lock back, until [`resume`](Self::resume).
    pub(crate) fn suspend(&self) -> Result<()> {
        if self.path.is_none() {
            return Err(Error::unsupported(
                "only a store in a file can be suspended: keep this one open",
            ));
        }
        let _guard = self.writer()?;
        let mut state = self.take_alone("an export or backup is being read")?;
        if matches!(&*state, State::Suspended) {
            return Ok(());
        }
        state.open()?;
        self.release(std::mem::replace(&mut *state, State::Suspended))
    }

    /// Opens what store is at the path by now. Where there is none, none is made.
    pub(crate) fn resume(&self) -> Result<()> {
        self.owner.check()?;
        let _guard = self.writer.take(self.options.wait)?;
        let mut state = self.alone();
        match (&*state, &self.path) {
            (State::Suspended, Some(path)) => {
                let backend = file::open(path)?.ok_or_else(|| Error::missing(path))?;
                *state = self.opened(backend, Open::existing)?;
                Ok(())
            }
            (State::Closed, _) => Err(Error::Closed.into()),
            _ => Ok(()),
        }
    }

    /// Closes the store for good. A live export or backup fails from here on.
    pub(crate) fn close(&self) -> Result<()> {
        if self.owner.check().is_err() {
            // What a thread of the other process held when this one was forked is
            // held for ever here.
            if let Ok(mut state) = self.state.try_write() {
                self.release(std::mem::replace(&mut *state, State::Closed))?;
            }
            return Ok(());
        }
        let _guard = self.writer.take(self.options.wait)?;
        let mut state = self.alone();
        self.release(std::mem::replace(&mut *state, State::Closed))
    }

    /// Drops what was open, and gives its locks back.
    fn release(&self, state: State) -> Result<()> {
        if self.owner.check().is_err() {
            // redb would write as it closes, and may wait for ever, too.
            std::mem::forget(state);
            return Ok(());
        }
        let backend = state.backend().cloned();
        let _ = catch_panic(|| state.end());
        match backend {
            Some(backend) => Ok(backend.close()?),
            None => Ok(()),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let state = std::mem::replace(state, State::Closed);
        // Nobody is left to report a failure to.
        let _ = self.release(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::backend::SharedBackend;
    use crate::store::gate::Location;
    use crate::store::options::StoreOptions;
    use crate::store::owner::Owner;
    use redb::StorageBackend;
    use redb::backends::InMemoryBackend;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Counts what is written, and closing.
    #[derive(Debug)]
    struct Counting(InMemoryBackend, Arc<AtomicUsize>);

    impl StorageBackend for Counting {
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
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.write(offset, data)
        }

        fn close(&self) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    fn code<T>(result: Result<T>) -> &'static str {
        result.map_or_else(|error| error.code(), |_| "ok")
    }

    /// What a process meets that was forked from the one that opened the store.
    #[test]
    fn a_forked_process_is_refused_and_leaves_the_store_alone() -> Result<()> {
        let count = Arc::new(AtomicUsize::new(0));
        let bytes = Counting(InMemoryBackend::new(), count.clone());
        let mut store = Store::open(Location::Backend(Box::new(bytes)), StoreOptions::for_test())?;
        assert_eq!(code(store.write(|_| Ok(()))), "ok");
        // A thread of the other process is in the middle of a change.
        let guard = store.writer.take(Duration::ZERO)?;
        std::mem::forget(guard);
        store.owner = Owner::ANOTHER;
        let before = count.load(Ordering::Relaxed);

        let refused = store.write(|_| Ok(())).err();
        assert_eq!(
            refused.as_ref().map(|error| error.code()),
            Some("unsupported")
        );
        let says = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            says.contains("open the store anew in this process"),
            "{says}"
        );
        assert_eq!(code(store.compact()), "unsupported");
        assert_eq!(code(store.unstage("nothing")), "unsupported");
        assert_eq!(code(store.check(|_| Ok(()))), "unsupported");
        assert_eq!(code(store.resume()), "unsupported");
        assert_eq!(code(store.read(|snapshot| snapshot.sequence())), "ok");
        let failed = store.read(|_| Err::<(), _>(Error::corrupt("as told")));
        assert_eq!(code(failed), "unsupported");
        assert_eq!(code(store.close()), "ok");
        drop(store);
        assert_eq!(count.load(Ordering::Relaxed), before);
        Ok(())
    }

    /// What lies in memory is copied by a fork.
    #[test]
    fn a_store_in_memory_is_everybodys_own() -> Result<()> {
        assert!(SharedBackend::in_memory().owner.check().is_ok());
        Owner::this_process().check()
    }
}
