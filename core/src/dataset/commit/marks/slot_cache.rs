//! A cache of the slots of the assessments of a school.

use super::free_slots::FreeSlots;
use crate::error::Result;
use crate::record::address::{SlotAddress, slot_address_of};
use crate::store::Write;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct SlotCache {
    school: u64,
    known: HashMap<u64, SlotAddress, foldhash::fast::RandomState>,
}

/// The maximum number of cached assessments. When it is reached, the cache is cleared.
const MAX_KNOWN: usize = 1 << 14;

impl SlotCache {
    pub(super) fn find(
        &mut self,
        write: &Write<'_>,
        slots: &mut FreeSlots,
        school: u64,
        assessment: u64,
    ) -> Result<SlotAddress> {
        if self.school != school || self.known.len() >= MAX_KNOWN {
            self.school = school;
            self.known.clear();
        }
        if let Some(place) = self.known.get(&assessment) {
            return Ok(*place);
        }
        let place = slot_address_of(write, school, assessment)?;
        if let Some((at, _)) = place {
            // This fails if two assessments share a slot, because their marks would be mixed up.
            slots.check(write, school, at)?;
        }
        self.known.insert(assessment, place);
        Ok(place)
    }
}
