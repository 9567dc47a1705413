//! The properties of a school that are determined before its first line is written.

use crate::SampleSchool;
use crate::calendar::{self, Term};
use crate::curriculum::{self, Grade, Subject};
use crate::programmes::{self, Programme};
use crate::roll::{Pupil, Roll};
use jiff::civil::Date;

/// A school with all data on which several kinds of records depend.
pub(crate) struct Plan {
    pub(crate) school: SampleSchool,
    /// The last known day.
    pub(crate) today: Date,
    pub(crate) years: Vec<u16>,
    pub(crate) terms: Vec<Term>,
    pub(crate) school_days: Vec<Date>,
    pub(crate) grades: Vec<Grade>,
    /// The subjects of each grade.
    pub(crate) subjects: Vec<Vec<Subject>>,
    pub(crate) roll: Roll,
    /// For each grade, the indexes in the roll of the learners who are in it now.
    by_grade: Vec<Vec<u32>>,
    /// Every subject of every grade in every term of every year.
    pub(crate) programmes: Vec<Programme>,
}

impl Plan {
    pub(crate) fn new(school: SampleSchool) -> Self {
        let years: Vec<u16> = school.recorded_years().collect();
        let terms: Vec<Term> = years.iter().flat_map(|y| calendar::terms(*y)).collect();
        let grades = curriculum::grades(school.phase());
        let subjects: Vec<_> = grades.iter().map(|g| curriculum::subjects(*g)).collect();
        let roll = Roll::new(&school, grades.len());
        let mut by_grade = vec![Vec::new(); grades.len()];
        for (place, pupil) in (0..).zip(&roll.pupils) {
            by_grade[usize::from(pupil.grade)].push(place);
        }
        Self {
            today: school.last_day(),
            school_days: years
                .iter()
                .flat_map(|y| calendar::school_days(*y))
                .collect(),
            programmes: programmes::all(&school, &terms, &subjects),
            school,
            years,
            terms,
            grades,
            subjects,
            roll,
            by_grade,
        }
    }

    /// Returns the grade of a learner in a year, if the learner was already at school.
    pub(crate) fn grade_in(&self, pupil: &Pupil, year: u16) -> Option<usize> {
        usize::from(pupil.grade).checked_sub(self.years_ago(year))
    }

    /// Returns the learners who were in a grade in a year, in ascending order.
    pub(crate) fn pupils_in(&self, grade: usize, year: u16) -> impl Iterator<Item = &Pupil> {
        let places = self.by_grade.get(grade + self.years_ago(year));
        let places = places.map_or(&[][..], Vec::as_slice);
        places
            .iter()
            .map(|place| &self.roll.pupils[*place as usize])
    }

    fn years_ago(&self, year: u16) -> usize {
        usize::from(self.school.current_year - year)
    }
}
