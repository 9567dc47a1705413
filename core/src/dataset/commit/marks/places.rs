//! Where the marks of the assessments of a school belong, as far as it was asked.

use super::address::{SlotAddress, grade_term_of, slot_of};
use super::slots::Slots;
use crate::error::Result;
use crate::store::Write;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Places {
    school: u64,
    known: HashMap<u64, SlotAddress, foldhash::fast::RandomState>,
}

/// How many assessments are known at once; beyond, all are forgotten.
const MOST_KNOWN: usize = 1 << 14;

impl Places {
    pub(super) fn of(
        &mut self,
        write: &Write<'_>,
        slots: &mut Slots,
        school: u64,
        assessment: u64,
    ) -> Result<SlotAddress> {
        if self.school != school || self.known.len() >= MOST_KNOWN {
            self.school = school;
            self.known.clear();
        }
        if let Some(place) = self.known.get(&assessment) {
            return Ok(*place);
        }
        let place = match grade_term_of(write, school, assessment)? {
            Some(at) => {
                // A mark must not take the slot of another assessment's.
                slots.check(write, school, at)?;
                Some((at, slot_of(write, school, at, assessment)?))
            }
            None => None,
        };
        self.known.insert(assessment, place);
        Ok(place)
    }
}
