//! The families of learners, and what their members have in common.
//!
//! Learners are divided into blocks of six, and each block into families. The family of any learner
//! is therefore found without counting the families before it.

use super::SampleSchool;
use super::names::{self, Culture};
use super::places;
use super::random::{Random, Topic};
use super::tables::table;

const BLOCK: u32 = 6;
const SPLITS: [&[u32]; 5] = [
    &[1, 1, 1, 1, 1, 1],
    &[2, 1, 1, 1, 1],
    &[1, 2, 1, 2],
    &[1, 1, 3, 1],
    &[3, 2, 1],
];

/// The learners of one family.
pub(super) struct Siblings {
    /// The number of the family, from 0, with gaps.
    pub(super) family: u64,
    /// The ids of the learners.
    pub(super) learners: std::ops::RangeInclusive<u64>,
}

impl Siblings {
    pub(super) fn speaks_afrikaans(&self, school: &SampleSchool) -> bool {
        Family::new(school, self.family).language().1 == "Afrikaans"
    }
}

/// Returns the number of blocks that contain the school's learners.
pub(super) fn blocks(school: &SampleSchool) -> u64 {
    u64::from(school.learners.div_ceil(BLOCK))
}

/// Returns the families of a block that have a learner at the school.
pub(super) fn in_block(
    school: &SampleSchool,
    block: u64,
) -> impl Iterator<Item = Siblings> + use<> {
    let learners = u64::from(school.learners);
    let mut first = block * u64::from(BLOCK) + 1;
    let split = Random::for_topic(school.seed, Topic::Siblings, u64::MAX - block).pick(&SPLITS);
    let families = block * u64::from(BLOCK)..;
    families.zip(split).map_while(move |(family, size)| {
        let last = (first + u64::from(*size) - 1).min(learners);
        let siblings = first..=last;
        first = last + 1;
        (!siblings.is_empty()).then_some(Siblings {
            family,
            learners: siblings,
        })
    })
}

/// The parents of a family that the school knows.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Known {
    Both,
    First,
    Second,
    Neither,
}

/// The properties that the members of a family share.
pub(super) struct Family {
    pub(super) number: u64,
    pub(super) culture: &'static Culture,
    pub(super) surname: &'static str,
    pub(super) known: Known,
    pub(super) nationality: &'static str,
    pub(super) residential_address: String,
    pub(super) postal_address: String,
}

impl Family {
    pub(super) fn new(school: &SampleSchool, number: u64) -> Self {
        let mut random = Random::for_topic(school.seed, Topic::Family, number);
        let culture = names::culture(&mut random);
        let known = match random.below(100) {
            0..82 => Known::Both,
            82..93 => Known::First,
            93..95 => Known::Second,
            _ => Known::Neither,
        };
        let nationality = if culture.name == "abroad" {
            random.pick(table("nationalities"))
        } else {
            "South Africa"
        };
        let [residential_address, postal_address] = places::addresses(&mut random);
        Self {
            number,
            culture,
            surname: names::surname(culture, &mut random),
            known,
            nationality,
            residential_address,
            postal_address,
        }
    }

    /// Returns the code of the family, which is also that of its debtor.
    pub(super) fn code(&self) -> u64 {
        1001 + self.number
    }

    pub(super) fn language(&self) -> (u64, &'static str) {
        self.culture.language
    }

    /// Returns the ids of parent 1 and parent 2, if the school knows them.
    pub(super) fn parents(&self) -> [Option<u64>; 2] {
        let [first, second] = [self.parent_id(0), self.parent_id(1)];
        match self.known {
            Known::Both => [Some(first), Some(second)],
            Known::First => [Some(first), None],
            Known::Second => [None, Some(second)],
            Known::Neither => [None, None],
        }
    }

    /// Returns the place of the adult who pays: a parent that the school knows, or if there is
    /// none, an adult who is not a parent.
    pub(super) fn payer(&self) -> u64 {
        u64::from(self.known == Known::Second)
    }

    /// Returns the id of parent 1 (`place` 0) or 2 (`place` 1), which is also the id of this adult
    /// as an accountable person.
    pub(super) fn parent_id(&self, place: u64) -> u64 {
        40 + 2 * self.number + place
    }
}
