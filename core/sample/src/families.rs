//! The families of learners, and what their members have in common.
//!
//! Learners are divided into blocks of six, and each block into families. The family of any learner
//! is therefore found without counting the families before it.

use crate::SampleSchool;
use crate::names::{self, Culture};
use crate::places;
use crate::tables::table;
use crate::topics::{Topic, TopicRandom};

const BLOCK: u32 = 6;
const SPLITS: [&[u32]; 5] = [
    &[1, 1, 1, 1, 1, 1],
    &[2, 1, 1, 1, 1],
    &[1, 2, 1, 2],
    &[1, 1, 3, 1],
    &[3, 2, 1],
];

/// The learners of one family.
pub(crate) struct Siblings {
    /// The number of the family, from 0, with gaps.
    pub(crate) family: u64,
    /// The ids of the learners.
    pub(crate) learners: std::ops::RangeInclusive<u64>,
}

impl Siblings {
    pub(crate) fn speaks_afrikaans(&self, school: &SampleSchool) -> bool {
        Family::new(school, self.family).language().1 == "Afrikaans"
    }
}

/// Returns the number of blocks that contain the school's learners.
pub(crate) fn blocks(school: &SampleSchool) -> u64 {
    u64::from(school.learners.div_ceil(BLOCK))
}

/// Returns the families of a block that have a learner at the school.
pub(crate) fn in_block(
    school: &SampleSchool,
    block: u64,
) -> impl Iterator<Item = Siblings> + use<> {
    let learners = u64::from(school.learners);
    let mut first = block * u64::from(BLOCK) + 1;
    let split =
        TopicRandom::for_topic(school.seed, Topic::Siblings, u64::MAX - block).pick(&SPLITS);
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
pub(crate) enum Known {
    Both,
    First,
    Second,
    Neither,
}

/// The properties that the members of a family share.
pub(crate) struct Family {
    pub(crate) number: u64,
    pub(crate) culture: &'static Culture,
    pub(crate) surname: &'static str,
    pub(crate) known: Known,
    pub(crate) nationality: &'static str,
    pub(crate) residential_address: String,
    pub(crate) postal_address: String,
}

impl Family {
    pub(crate) fn new(school: &SampleSchool, number: u64) -> Self {
        let mut random = TopicRandom::for_topic(school.seed, Topic::Family, number);
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
    pub(crate) fn code(&self) -> u64 {
        1001 + self.number
    }

    pub(crate) fn language(&self) -> (u64, &'static str) {
        self.culture.language
    }

    /// Returns the ids of parent 1 and parent 2, if the school knows them.
    pub(crate) fn parents(&self) -> [Option<u64>; 2] {
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
    pub(crate) fn payer(&self) -> u64 {
        u64::from(self.known == Known::Second)
    }

    /// Returns the id of parent 1 (`place` 0) or 2 (`place` 1), which is also the id of this adult
    /// as an accountable person.
    pub(crate) fn parent_id(&self, place: u64) -> u64 {
        40 + 2 * self.number + place
    }
}
