//! Checks the internal tables of redb, which list the free pages and those that will become free.
//! A commit uses them without verifying their checksums, and if they are damaged, it can panic
//! twice, which ends the process. Therefore the checksums are verified before redb opens the file.
//!
//! The layout is that of file format 3, as described in the design document of redb.

use crate::error::{Error, Result};
use redb::StorageBackend;
use std::io;
use twox_hash::XxHash3_128;

const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
const VERSION: u8 = 3;
const HEADER: usize = 320;
const SLOT: usize = 128;
const CHECKSUM: usize = 16;
/// The size of the number of a page and its checksum.
const POINTER: usize = 8 + CHECKSUM;

// Flags of the byte after the magic number.
const SECOND_SLOT: u8 = 1;
const RECOVERY_REQUIRED: u8 = 2;
const TWO_PHASE_COMMIT: u8 = 4;

// Types of pages.
const LEAF: u8 = 1;
const BRANCH: u8 = 2;

/// The kinds of trees that are distinguished.
#[derive(Clone, Copy, PartialEq)]
enum TreeKind {
    /// The definitions of the internal tables, whose trees are checked too.
    OwnTables,
    /// The definitions of the other tables, whose trees are not checked.
    Tables,
    Rows,
}

/// A page that must be checked, with all pages below it.
#[derive(Clone, Copy)]
struct Tree {
    page: u64,
    checksum: u128,
    /// The length of each key, if all keys have the same length.
    key: Option<usize>,
    /// The length of each value, if all values have the same length.
    value: Option<usize>,
    kind: TreeKind,
}

/// Returns whether the free lists of redb match their checksums. A file that is not a database or
/// has another format counts as sound, because redb itself refuses it. So does a file that redb
/// will scan completely when it opens it. Fails if the definitions of the tables are damaged,
/// because then nothing can be read.
pub(crate) fn are_sound(bytes: &impl StorageBackend) -> Result<bool> {
    let len = bytes.len()?;
    let mut header = [0; HEADER];
    if len < HEADER as u64 {
        return Ok(true);
    }
    bytes.read(0, &mut header)?;
    let flags = header.get(MAGIC.len()).copied().unwrap_or(0);
    let in_doubt = flags & RECOVERY_REQUIRED != 0 && flags & TWO_PHASE_COMMIT == 0;
    if !header.starts_with(MAGIC) || in_doubt {
        return Ok(true);
    }
    let Some((layout, mut pending)) = roots(&header, flags) else {
        return Ok(false);
    };
    // A page to which several others point would be checked repeatedly, so the number of checks is
    // limited by the number of pages.
    let mut left = len / layout.page_size;
    let mut is_sound = true;
    while let Some(tree) = pending.pop() {
        let found = layout.locate(tree.page, len).filter(|_| left > 0);
        let (offset, size) = found.unwrap_or_default();
        left = left.saturating_sub(1);
        let mut page = vec![0; size];
        bytes.read(offset, &mut page)?;
        match (tree.check(&page, &mut pending), tree.kind) {
            (Some(()), _) => {}
            (None, TreeKind::Rows) => is_sound = false,
            (None, TreeKind::OwnTables | TreeKind::Tables) => {
                return Err(Error::corrupt(
                    "the definitions of its tables are damaged: restore a backup",
                ));
            }
        }
    }
    Ok(is_sound)
}

/// Replaces the numbers of pages in a branch page by an invalid number, if the page would be
/// longer than the file. Otherwise redb would allocate that much memory before it reads the page.
pub(crate) fn bound_pages(
    page: &mut [u8],
    len: impl FnOnce() -> io::Result<u64>,
) -> io::Result<()> {
    let Some([BRANCH, _, low, high]) = page.first_chunk().copied() else {
        return Ok(());
    };
    let children = usize::from(u16::from_le_bytes([low, high])) + 1;
    let numbers = page.get_mut(8 + CHECKSUM * children..8 + POINTER * children);
    let (numbers, _) = numbers.unwrap_or_default().as_chunks_mut::<8>();
    let order = |number: &[u8; 8]| u64::from_le_bytes(*number) >> 59;
    if numbers.iter().all(|number| order(number) < LONG) {
        return Ok(());
    }
    let len = len()?;
    for number in numbers {
        if SHORTEST << order(number) > len {
            *number = [0xff; 8];
        }
    }
    Ok(())
}

/// The minimum size of a page of order 0.
const SHORTEST: u64 = 512;
/// The lowest order of pages whose size is compared with the length of the file.
const LONG: u64 = 8;

/// Reads the layout and the roots of the trees from the header. Returns `None` if the header is
/// damaged.
fn roots(header: &[u8; HEADER], flags: u8) -> Option<(PageLayout, Vec<Tree>)> {
    let start = 64 + SLOT * usize::from(flags & SECOND_SLOT);
    let slot = header.get(start..start + SLOT)?;
    if *slot.first()? != VERSION {
        return Some((PageLayout::parse(header)?, Vec::new()));
    }
    let (content, checksum) = slot.split_at_checked(SLOT - CHECKSUM)?;
    if XxHash3_128::oneshot(content) != u128::from_le_bytes(checksum.try_into().ok()?) {
        return None;
    }
    let root = |presence: usize, at: usize, kind| {
        (*slot.get(presence)? != 0).then_some(())?;
        Some(Tree {
            page: number(slot, at)?,
            checksum: checksum_at(slot, at + 8)?,
            key: None,
            value: None,
            kind,
        })
    };
    let own = root(2, 40, TreeKind::OwnTables);
    let roots = [root(1, 8, TreeKind::Tables), own];
    Some((
        PageLayout::parse(header)?,
        roots.into_iter().flatten().collect(),
    ))
}

/// The layout of pages in the file.
struct PageLayout {
    page_size: u64,
    region_header: u64,
    region: u64,
}

impl PageLayout {
    fn parse(header: &[u8]) -> Option<PageLayout> {
        let page_size = u64::from(short(header, 12)?);
        let region_header = page_size.checked_mul(u64::from(short(header, 16)?))?;
        let data = page_size.checked_mul(u64::from(short(header, 20)?))?;
        (page_size > 0).then_some(PageLayout {
            page_size,
            region_header,
            region: region_header.checked_add(data)?,
        })
    }

    /// Returns the offset and the size of a page, if it is within the file.
    fn locate(&self, page: u64, len: u64) -> Option<(u64, usize)> {
        let order = u32::try_from(page >> 59).ok()?;
        let index = page & (0xF_FFFF >> order);
        let region = page >> 20 & 0xF_FFFF;
        let size = self.page_size.checked_shl(order)?;
        let within = self
            .region_header
            .checked_add(index.checked_mul(size)?)?
            .checked_add(self.page_size)?;
        let offset = region.checked_mul(self.region)?.checked_add(within)?;
        let fits = offset.checked_add(size)? <= len;
        fits.then_some((offset, usize::try_from(size).ok()?))
    }
}

impl Tree {
    /// Verifies the checksum of the page, and adds the pages to which it points. Returns `None` if
    /// the page is damaged.
    fn check(self, page: &[u8], pending: &mut Vec<Tree>) -> Option<()> {
        let count = usize::from(u16::from_le_bytes(*page.get(2..)?.first_chunk()?));
        let is_leaf = match *page.first()? {
            LEAF => true,
            BRANCH => false,
            _ => return None,
        };
        let last = count.checked_sub(1)?;
        let end = if is_leaf {
            self.value_end(page, count, last)?
        } else {
            self.branch_end(page, count, last)?
        };
        if XxHash3_128::oneshot(page.get(..end)?) != self.checksum {
            return None;
        }
        match (is_leaf, self.kind) {
            (false, _) => self.children(page, count, pending),
            (true, TreeKind::OwnTables) => self.tables(page, count, pending),
            (true, TreeKind::Tables | TreeKind::Rows) => Some(()),
        }
    }

    fn children(self, page: &[u8], count: usize, pending: &mut Vec<Tree>) -> Option<()> {
        let numbers = 8 + CHECKSUM * (count + 1);
        for child in 0..=count {
            pending.push(Tree {
                page: number(page, numbers + 8 * child)?,
                checksum: checksum_at(page, 8 + CHECKSUM * child)?,
                ..self
            });
        }
        Some(())
    }

    /// Adds the trees of the tables that a page defines.
    fn tables(self, page: &[u8], count: usize, pending: &mut Vec<Tree>) -> Option<()> {
        let mut start = self.key_end(page, count, count.checked_sub(1)?)?;
        for index in 0..count {
            let end = self.value_end(page, count, index)?;
            let table = page.get(start..end)?;
            start = end;
            let fixed = |at: usize| {
                Some(match *table.get(at)? {
                    0 => None,
                    _ => Some(usize::try_from(short(table, at + 1)?).ok()?),
                })
            };
            let is_empty = *table.get(9)? == 0;
            if !is_empty {
                pending.push(Tree {
                    page: number(table, 10)?,
                    checksum: checksum_at(table, 18)?,
                    key: fixed(42)?,
                    value: fixed(47)?,
                    kind: TreeKind::Rows,
                });
            }
        }
        Some(())
    }

    fn branch_end(self, page: &[u8], count: usize, last: usize) -> Option<usize> {
        let keys = 8 + POINTER * (count + 1);
        match self.key {
            Some(key) => keys.checked_add(key.checked_mul(count)?),
            None => offset(page, keys + 4 * last),
        }
    }

    fn key_end(self, page: &[u8], count: usize, index: usize) -> Option<usize> {
        let Some(key) = self.key else {
            return offset(page, 4 + 4 * index);
        };
        let ends = if self.value.is_none() { 4 * count } else { 0 };
        key.checked_mul(index + 1)?.checked_add(4 + ends)
    }

    fn value_end(self, page: &[u8], count: usize, index: usize) -> Option<usize> {
        let Some(value) = self.value else {
            let key_ends = if self.key.is_none() { 4 * count } else { 0 };
            return offset(page, 4 + key_ends + 4 * index);
        };
        let keys = self.key_end(page, count, count.checked_sub(1)?)?;
        keys.checked_add(value.checked_mul(index + 1)?)
    }
}

fn short(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn offset(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(short(bytes, at)?).ok()
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn checksum_at(bytes: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use crate::store::redb_guard::free_list_check::*;
    use redb::{Database, ReadableDatabase, TableDefinition};
    use std::sync::{Arc, Mutex, PoisonError};

    type TestResult<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// Bytes, and the positions at which they were read.
    type Bytes = (Vec<u8>, Vec<(usize, usize)>);

    /// A backend that records where it is read. Clones share the bytes.
    #[derive(Debug, Clone, Default)]
    struct RecordingBackend(Arc<Mutex<Bytes>>);

    impl RecordingBackend {
        fn with<T>(&self, work: impl FnOnce(&mut Bytes) -> T) -> T {
            work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
        }

        fn new(bytes: &[u8]) -> RecordingBackend {
            RecordingBackend(Arc::new(Mutex::new((bytes.to_vec(), Vec::new()))))
        }
    }

    impl StorageBackend for RecordingBackend {
        fn len(&self) -> io::Result<u64> {
            Ok(self.with(|(bytes, _)| bytes.len() as u64))
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            let at = usize::try_from(offset).map_err(io::Error::other)?;
            self.with(|(bytes, read)| {
                read.push((at, out.len()));
                let part = bytes.get(at..at + out.len());
                out.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            })
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            let len = usize::try_from(len).map_err(io::Error::other)?;
            self.with(|(bytes, _)| bytes.resize(len, 0));
            Ok(())
        }

        fn sync_data(&self) -> io::Result<()> {
            Ok(())
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            let at = usize::try_from(offset).map_err(io::Error::other)?;
            self.with(|(bytes, _)| {
                let part = bytes.get_mut(at..at + data.len());
                part.ok_or(io::ErrorKind::UnexpectedEof)?
                    .copy_from_slice(data);
                Ok(())
            })
        }
    }

    /// Creates a database whose free lists have more than one page, and that has more tables than
    /// fit into one page of definitions.
    fn database() -> TestResult<Vec<u8>> {
        let disk = RecordingBackend::default();
        let database = Database::builder().create_with_backend(disk.clone())?;
        // A page that this reader uses is not freed, so the list of pages to be freed grows.
        let mut reader = None;
        for round in 0..60_u64 {
            let mut transaction = database.begin_write()?;
            transaction.set_quick_repair(true);
            for name in [round, 0] {
                let name = format!("table {name}");
                let definition: TableDefinition<'_, u64, &[u8]> = TableDefinition::new(&name);
                let mut table = transaction.open_table(definition)?;
                table.insert(round, [7; 3000].as_slice())?;
            }
            transaction.commit()?;
            reader.get_or_insert(database.begin_read()?);
        }
        Ok(disk.with(|(bytes, _)| bytes.clone()))
    }

    #[test]
    fn every_page_of_the_lists_is_compared() -> TestResult<()> {
        let bytes = database()?;
        let whole = RecordingBackend::new(&bytes);
        assert!(are_sound(&whole)?);
        let read = whole.with(|(_, read)| read.clone());
        let of_type = |kind| {
            let types = read.iter().filter_map(|(at, _)| bytes.get(*at));
            types.filter(|found| **found == kind).count()
        };
        assert!(of_type(LEAF) > 20 && of_type(BRANCH) > 2, "{read:?}");
        let is_sound = |at: usize| {
            let mut damaged = bytes.clone();
            if let Some(byte) = damaged.get_mut(at) {
                *byte ^= 0x40;
            }
            are_sound(&RecordingBackend::new(&damaged)).unwrap_or(false)
        };
        let flags = bytes.get(MAGIC.len()).copied().unwrap_or(0);
        let slot = 64 + SLOT * usize::from(flags & SECOND_SLOT);
        for at in slot + 1..slot + SLOT {
            assert!(!is_sound(at), "byte {at} of the header");
        }
        for (start, _) in read.into_iter().skip(1) {
            for at in start..start + 40 {
                assert!(!is_sound(at), "byte {at}");
            }
        }
        Ok(())
    }

    #[test]
    fn bytes_of_another_format_are_left_to_redb() -> TestResult<()> {
        for bytes in [vec![], vec![1; 100], vec![1; 5000]] {
            assert!(are_sound(&RecordingBackend::new(&bytes))?);
        }
        let mut newer = database()?;
        for slot in [64, 64 + SLOT] {
            if let Some(version) = newer.get_mut(slot) {
                *version = VERSION + 1;
            }
        }
        assert!(are_sound(&RecordingBackend::new(&newer))?);
        Ok(())
    }
}
