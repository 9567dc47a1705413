//! Sample schools: whole datasets of any size, the same for the same seed.
//!
//! A school is described by a [`SampleSchool`] and written as the lines of a
//! dataset, one kind of record after the other. It is made as it is read: a
//! school of 100,000 learners takes a few megabytes while its dataset of some
//! gigabytes goes by. Nothing depends on the time, on the machine or on the
//! order of a hash table.
//!
//! # What a school holds
//!
//! - Learners with the ids 1 to [`learners`](SampleSchool::learners): about 92 %
//!   current, 5 % left within the last year, 3 % on the waiting list.
//! - Families of one to three learners; most have two parents, some one or none.
//! - Eight subjects a learner, four terms a year, seven assessments a subject
//!   and term: 224 marks a learner and year, for learners who have left and who
//!   wait as well, so that the count is exact. In years before the current one,
//!   learners were in the grades below; who was not at school yet has no records.
//! - About 900 absences and 200 records of discipline a month for 1,000 learners.
//! - Staff: all whom classes and groups name as teachers, and a tenth more.
//! - The lookups of ethnic groups, marital statuses, genders and languages.
//! - The API types 8 to 11, one a family, all authorised and in state 1, for the
//!   integrator [`USERNAME`].

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
mod random;
mod roll;
mod settings;
mod staff;
mod stream;
mod tables;

use std::io::BufRead;

use jiff::civil::{Date, date};

/// The name of the integrator of every sample school.
pub const USERNAME: &str = "demo";
/// Its password.
pub const PASSWORD: &str = "demo";

/// The grades that a school has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Grades RR to 7, with the grade ids 1 to 9.
    Primary,
    /// Grades 8 to 12, with the grade ids 10 to 14.
    Secondary,
}

/// The description of one school.
#[derive(Clone, Debug)]
pub struct SampleSchool {
    /// Where all names, marks and days come from.
    pub seed: u64,
    /// The id of the school; 1000 and 1001 bear the names that the service's documentation shows.
    pub school_id: u64,
    /// How many learners have records, whatever their status.
    pub learners: u32,
    /// How many years have records; the last of them is the current one.
    pub years: u32,
    /// The school's current administrative year, from 100 to 9998.
    pub current_year: u16,
    /// The last day that is known: neither marks nor absences nor transfers lie behind it.
    /// None: the end of the current year, so that every assessment has its marks.
    pub as_of: Option<Date>,
    /// The grades. None: those of a primary school if the school id is even, else of a secondary one.
    pub phase: Option<Phase>,
    /// Whether there are `mark` records; they are most of the lines.
    pub marks: bool,
    /// Whether to add learners and companions that bear every extreme that a dataset may hold.
    pub edge_values: bool,
}

impl Default for SampleSchool {
    /// A primary school of 1,000 learners with the records of 2026.
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
    /// The dataset, line by line, without line ends.
    pub fn lines(&self) -> impl Iterator<Item = String> + Send + use<> {
        stream::Lines::new(self.clone())
    }

    /// The dataset as the bytes of an NDJSON file.
    pub fn reader(&self) -> impl BufRead + Send + use<> {
        stream::Reader::new(self.clone())
    }

    /// The grades that the school has.
    pub fn phase(&self) -> Phase {
        self.phase.unwrap_or(match self.school_id % 2 {
            0 => Phase::Primary,
            _ => Phase::Secondary,
        })
    }

    /// The ids of the school's grades, ascending.
    pub fn grade_ids(&self) -> Vec<u64> {
        let grades = curriculum::grades(self.phase());
        grades.iter().map(|grade| grade.id).collect()
    }

    fn last_day(&self) -> Date {
        let year = i16::try_from(self.current_year).unwrap();
        self.as_of.unwrap_or(date(year, 12, 31))
    }

    /// The years that have records, ascending.
    fn recorded_years(&self) -> impl Iterator<Item = u16> + use<> {
        let before = u16::try_from(self.years.saturating_sub(1)).unwrap();
        self.current_year.saturating_sub(before)..=self.current_year
    }
}

/// Schools with consecutive ids from that of `base`, each with a seed of its own.
///
/// The lines that all schools share (API types, integrator) stand in each of them.
pub fn federation(count: u32, base: &SampleSchool) -> Vec<SampleSchool> {
    (0..u64::from(count))
        .map(|place| SampleSchool {
            seed: base.seed.wrapping_add(place),
            school_id: base.school_id + place,
            ..base.clone()
        })
        .collect()
}
