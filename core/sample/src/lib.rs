//! Sample schools for [Rollbook](https://docs.rs/rollbook): complete datasets of any size, which are
//! the same for the same seed.
//!
//! A [`SampleSchool`] describes a school, and is written as the lines of a dataset, one kind of
//! record after the other. The lines are made while they are read: a school of 100,000 learners
//! needs a few megabytes, while its dataset has some gigabytes. The result depends on neither the
//! time nor the machine nor the order of a hash table.
//!
//! # Contents of a school
//!
//! - Learners with the ids 1 to [`learners`](SampleSchool::learners): about 92 % are current, 5 %
//!   left within the last year, 3 % are on the waiting list.
//! - Families of one to three learners; most have two parents, some have one or none.
//! - Eight subjects per learner, four terms per year, seven assessments per subject and term: 224
//!   marks per learner and year, also for learners who have left and who are on the waiting list,
//!   so that the count is exact. In years before the current one, learners were in the grades
//!   below; learners who were not at school yet have no records.
//! - About 900 absences and 200 records of discipline per month for 1,000 learners.
//! - Staff: the teachers of all classes and groups, and a tenth more.
//! - The lookups of ethnic groups, marital statuses, genders and languages.
//! - The API types 8 to 11, one per family, all authorised and in state 1, for the integrator
//!   [`USERNAME`].
// The conversions, indexes and divisions are valid for each school whose fields are in their ranges.
// The word lists are part of the crate.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod absences;
mod accountable;
mod calendar;
mod conduct;
mod curriculum;
mod edge;
mod enrolment;
mod families;
mod identity;
mod learners;
mod line;
mod marks;
mod names;
mod parents;
mod places;
mod plan;
mod programmes;
pub mod random;
mod roll;
mod settings;
mod staff;
mod stream;
mod tables;
mod topics;

use std::io::BufRead;
use std::ops::RangeInclusive;

use jiff::civil::{Date, date};

/// The name of the integrator of every sample school.
pub const USERNAME: &str = "demo";
/// The years that can be the current one of a school.
pub const YEARS: RangeInclusive<i16> = 100..=9998;
/// The password of the integrator.
pub const PASSWORD: &str = "demo";

/// The phase of a school, which determines its grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Grades RR to 7, with the grade ids 1 to 9.
    Primary,
    /// Grades 8 to 12, with the grade ids 10 to 14.
    Secondary,
}

/// The description of a school.
///
/// A field with a range must be within it. Otherwise the generator panics, or makes records that are
/// not valid.
#[derive(Clone, Debug)]
pub struct SampleSchool {
    /// The seed of all names, marks and days.
    pub seed: u64,
    /// The id of the school. 1000 and 1001 have the names that the service's documentation shows.
    pub school_id: u64,
    /// The number of learners with records, of any status, from 0 to 10,000,000. Each of them needs
    /// about 20 bytes of memory.
    pub learners: u32,
    /// The number of years with records, from 1 to 100. The last of them is the current year.
    pub years: u32,
    /// The school's current administrative year, from 100 to 9998.
    pub current_year: u16,
    /// The last known day, from 0002-01-01 on: marks, absences and transfers are not later. `None`
    /// means the end of the current year, so that every assessment has its marks.
    pub as_of: Option<Date>,
    /// The phase. `None` means that of a primary school if the school id is even, and of a
    /// secondary school otherwise.
    pub phase: Option<Phase>,
    /// Whether there are `mark` records. They are most of the lines.
    pub marks: bool,
    /// Whether to add learners and other records with every extreme value that a dataset may
    /// contain.
    pub edge_values: bool,
}

impl Default for SampleSchool {
    /// Returns a primary school of 1,000 learners with the records of 2026.
    fn default() -> Self {
        Self {
            seed: 1,
            school_id: 1000,
            learners: 1000,
            years: 1,
            current_year: 2026,
            as_of: None,
            phase: None,
            marks: true,
            edge_values: false,
        }
    }
}

impl SampleSchool {
    /// Returns the dataset line by line, without line ends.
    pub fn lines(&self) -> impl Iterator<Item = String> + Send + use<> {
        stream::Lines::new(self.clone())
    }

    /// Returns the dataset as the bytes of an NDJSON file.
    pub fn reader(&self) -> impl BufRead + Send + use<> {
        stream::Reader::new(self.clone())
    }

    /// Returns the phase of the school.
    pub fn phase(&self) -> Phase {
        self.phase.unwrap_or(match self.school_id % 2 {
            0 => Phase::Primary,
            _ => Phase::Secondary,
        })
    }

    /// Returns the ids of the school's grades in ascending order.
    pub fn grade_ids(&self) -> Vec<u64> {
        let grades = curriculum::grades(self.phase());
        grades.iter().map(|grade| grade.id).collect()
    }

    fn last_day(&self) -> Date {
        let year = i16::try_from(self.current_year).unwrap();
        self.as_of.unwrap_or(date(year, 12, 31))
    }

    /// Returns the years that have records in ascending order.
    fn recorded_years(&self) -> impl Iterator<Item = u16> + use<> {
        let before = u16::try_from(self.years.saturating_sub(1)).unwrap();
        self.current_year.saturating_sub(before)..=self.current_year
    }
}

/// Returns schools with consecutive ids from that of `base`, each with a seed of its own. The id 0
/// follows [`u64::MAX`].
///
/// Each of them contains the lines that all schools share (API types, integrator).
pub fn federation(count: u32, base: &SampleSchool) -> Vec<SampleSchool> {
    (0..u64::from(count))
        .map(|place| SampleSchool {
            seed: base.seed.wrapping_add(place),
            school_id: base.school_id.wrapping_add(place),
            ..base.clone()
        })
        .collect()
}
