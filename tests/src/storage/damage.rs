//! Damage to a file that is not being written.

use super::disk::Disk;
use crate::random::Random;
use redb::Database;
use std::panic::{AssertUnwindSafe, catch_unwind};

const PAGE: usize = 4096;

/// A kind of damage.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// Flips one bit.
    Bit,
    /// Flips a few dozen bits.
    Bits,
    /// Overwrites a page with zeros.
    Zeros,
    /// Overwrites a page with random bytes.
    Garbage,
    /// Swaps two pages.
    Swapped,
    /// Shuffles some consecutive pages.
    Shuffled,
    /// Removes the end; at least one page remains.
    Cut,
    /// Adds bytes at the end.
    Longer,
    /// Flips one bit of the header.
    Header,
}

impl Damage {
    const ALL: [Damage; 9] = [
        Damage::Bit,
        Damage::Bits,
        Damage::Zeros,
        Damage::Garbage,
        Damage::Swapped,
        Damage::Shuffled,
        Damage::Cut,
        Damage::Longer,
        Damage::Header,
    ];

    /// Returns the kinds in turn.
    pub fn nth(number: u64) -> Damage {
        let kinds = Damage::ALL.len() as u64;
        Damage::ALL[usize::try_from(number % kinds).unwrap()]
    }

    /// Damages a file, in pages that are not all zeros.
    pub fn apply(self, file: &mut Vec<u8>, random: &mut Random) {
        let used: Vec<usize> = (0..file.len() / PAGE)
            .filter(|page| file[page * PAGE..][..PAGE].iter().any(|byte| *byte != 0))
            .collect();
        let mut page = || used[random.below(used.len())] * PAGE;
        let (one, two) = (page(), page());
        match self {
            Damage::Bit => file[one + random.below(PAGE)] ^= 1 << random.below(8),
            Damage::Bits => {
                for _ in 0..32 {
                    let at = used[random.below(used.len())] * PAGE + random.below(PAGE);
                    file[at] ^= 1 << random.below(8);
                }
            }
            Damage::Zeros => file[one..][..PAGE].fill(0),
            Damage::Garbage => fill(&mut file[one..][..PAGE], random),
            Damage::Swapped => {
                let first = file[one..][..PAGE].to_vec();
                file.copy_within(two..two + PAGE, one);
                file[two..][..PAGE].copy_from_slice(&first);
            }
            Damage::Shuffled => {
                let pages = (2 + random.below(7)).min((file.len() - one) / PAGE);
                file[one..one + pages * PAGE].rotate_left(PAGE);
            }
            Damage::Cut => {
                let len = PAGE + random.below(file.len() - PAGE);
                let whole_pages = len / PAGE * PAGE;
                file.truncate(if random.chance(50) { whole_pages } else { len });
            }
            Damage::Longer => {
                let mut more = vec![0; random.below(3 * PAGE) + 1];
                if random.chance(50) {
                    fill(&mut more, random);
                }
                file.extend(more);
            }
            // The super-header of redb has 320 bytes.
            Damage::Header => file[random.below(320)] ^= 1 << random.below(8),
        }
    }
}

fn fill(bytes: &mut [u8], random: &mut Random) {
    for chunk in bytes.chunks_mut(8) {
        let number = random.number().to_le_bytes();
        chunk.copy_from_slice(&number[..chunk.len()]);
    }
}

/// Returns whether redb refuses a file, finds damage in it, or panics.
pub fn is_flagged_by_redb(file: Vec<u8>) -> bool {
    let check = || {
        let mut database = Database::builder()
            .create_with_backend(Disk::new(file))
            .ok()?;
        database.check_integrity().ok()
    };
    catch_unwind(AssertUnwindSafe(check)).unwrap_or(None) != Some(true)
}
