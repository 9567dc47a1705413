//! Which records lie together, and under which keys.

/// A collection of records of one make. The numbers are part of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Collection {
    /// Key: school id. One partition for all.
    Schools = 1,
    /// Key: API type id. One partition for all.
    ApiTypes = 2,
    /// By school. Key: year.
    Years = 3,
    /// By school. Key: year, term.
    Terms = 4,
    /// By school. Key: grade id.
    Grades = 5,
    /// By school. Key: parent id.
    Parents = 6,
    /// By school. Key: learner id.
    Learners = 7,
    /// By school. Key: subject id.
    Subjects = 8,
    /// By school and year. Key: learner, subject.
    LearnerSubjects = 9,
    /// By school. Key: learning outcome id.
    LearningOutcomes = 10,
    /// By school, grade and year. Key: term, subject.
    LearningPrograms = 11,
    /// By school, grade and year. Key: term, assessment.
    Assessments = 12,
    /// By school. Key: assessment. Tells where the assessment lies.
    AssessmentPlaces = 13,
    /// By school, grade and year. Key: term, learner. What a learner's marks
    /// put into the gaps of the assessments.
    MarkRows = 14,
    /// By school and year. Key: learner, grade. The terms with a mark row.
    MarkSeats = 15,
    /// By school. Key: assessment, learner. Marks without an assessment.
    WaitingMarks = 16,
    /// By school. Key: date, absentee id.
    Absentees = 17,
    /// By school. Key: absentee id. Tells the date.
    AbsenteePlaces = 18,
    /// By school. Key: accountable person id.
    AccountablePersons = 19,
}

impl Collection {
    pub(crate) const ALL: [Collection; 19] = [
        Collection::Schools,
        Collection::ApiTypes,
        Collection::Years,
        Collection::Terms,
        Collection::Grades,
        Collection::Parents,
        Collection::Learners,
        Collection::Subjects,
        Collection::LearnerSubjects,
        Collection::LearningOutcomes,
        Collection::LearningPrograms,
        Collection::Assessments,
        Collection::AssessmentPlaces,
        Collection::MarkRows,
        Collection::MarkSeats,
        Collection::WaitingMarks,
        Collection::Absentees,
        Collection::AbsenteePlaces,
        Collection::AccountablePersons,
    ];

    fn from_number(number: u8) -> Option<Collection> {
        Collection::ALL.into_iter().find(|c| *c as u8 == number)
    }

    /// This collection's place in a set of collections.
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u8
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Collection::Schools => "schools",
            Collection::ApiTypes => "api types",
            Collection::Years => "years",
            Collection::Terms => "terms",
            Collection::Grades => "grades",
            Collection::Parents => "parents",
            Collection::Learners => "learners",
            Collection::Subjects => "subjects",
            Collection::LearnerSubjects => "learner subjects",
            Collection::LearningOutcomes => "learning outcomes",
            Collection::LearningPrograms => "learning programs",
            Collection::Assessments => "assessments",
            Collection::AssessmentPlaces => "assessment places",
            Collection::MarkRows => "mark rows",
            Collection::MarkSeats => "mark seats",
            Collection::WaitingMarks => "waiting marks",
            Collection::Absentees => "absentees",
            Collection::AbsenteePlaces => "absentee places",
            Collection::AccountablePersons => "accountable persons",
        }
    }

    /// Whether all its records lie in one partition, whatever their school.
    pub(crate) const fn is_global(self) -> bool {
        matches!(self, Collection::Schools | Collection::ApiTypes)
    }

    pub(crate) const fn layout(self) -> Layout {
        match self {
            Collection::Learners => Layout::new(7, &[COMMA, NONE, FOLDED]),
            Collection::Absentees | Collection::LearningPrograms => Layout::new(1, &[COMMA, NONE]),
            Collection::Assessments => Layout::new(3, &[COMMA, NONE]),
            Collection::AssessmentPlaces => Layout::new(3, &[]),
            Collection::AbsenteePlaces => Layout::new(1, &[]),
            Collection::LearnerSubjects
            | Collection::MarkRows
            | Collection::MarkSeats
            | Collection::WaitingMarks => Layout::new(0, &[NONE]),
            _ => Layout::new(0, &[COMMA, NONE]),
        }
    }
}

/// What a run of a collection holds for each record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// How many tags.
    pub(crate) tags: usize,
    /// What stands between two records in each lane.
    pub(crate) lanes: &'static [Separator],
}

/// The byte between two records of a lane, if any.
pub(crate) type Separator = Option<u8>;

/// Renderings, ready to be copied into an array.
const COMMA: Separator = Some(b',');
/// Facts.
const NONE: Separator = None;
/// Folded names: a byte that UTF-8 never has, so that no match spans two.
const FOLDED: Separator = Some(0xff);

impl Layout {
    pub(crate) const MAX_TAGS: usize = 8;
    pub(crate) const MAX_LANES: usize = 3;

    pub(super) const fn new(tags: usize, lanes: &'static [Separator]) -> Layout {
        Layout { tags, lanes }
    }
}

/// The records of one collection that are kept in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Partition {
    pub(crate) school: u64,
    pub(crate) collection: Collection,
    /// What the collection is divided by below the school: first number, or 0.
    pub(crate) a: u64,
    /// Second number, or 0.
    pub(crate) b: u64,
}

impl Partition {
    pub(crate) const BYTES: usize = 25;

    /// A partition of a global collection.
    pub(crate) const fn global(collection: Collection) -> Partition {
        Partition {
            school: 0,
            collection,
            a: 0,
            b: 0,
        }
    }

    /// A partition of a collection that is divided by school alone.
    pub(crate) const fn of(school: u64, collection: Collection) -> Partition {
        Partition {
            school,
            collection,
            a: 0,
            b: 0,
        }
    }

    /// A partition of a collection divided by school and year.
    pub(crate) const fn of_year(school: u64, collection: Collection, year: u64) -> Partition {
        Partition {
            school,
            collection,
            a: year,
            b: 0,
        }
    }

    /// A partition of a collection divided by school, grade and year.
    pub(crate) const fn of_grade_year(
        school: u64,
        collection: Collection,
        grade: u64,
        year: u64,
    ) -> Partition {
        Partition {
            school,
            collection,
            a: grade,
            b: year,
        }
    }

    /// The key of its directory: school, collection, division, big-endian, so
    /// that a school is a range and a collection of it a range within.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (school, rest) = bytes.split_at_mut(8);
        school.copy_from_slice(&self.school.to_be_bytes());
        let (collection, rest) = rest.split_at_mut(1);
        collection.copy_from_slice(&[self.collection as u8]);
        let (a, b) = rest.split_at_mut(8);
        a.copy_from_slice(&self.a.to_be_bytes());
        b.copy_from_slice(&self.b.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Partition> {
        let (school, rest) = bytes.split_first_chunk()?;
        let (collection, rest) = rest.split_first()?;
        let (a, rest) = rest.split_first_chunk()?;
        Some(Partition {
            school: u64::from_be_bytes(*school),
            collection: Collection::from_number(*collection)?,
            a: u64::from_be_bytes(*a),
            b: u64::from_be_bytes(*rest.first_chunk()?),
        })
    }
}

/// The key of one run: its partition and its number within.
pub(crate) fn run_key(partition: Partition, run: u32) -> [u8; Partition::BYTES + 4] {
    let mut bytes = [0; Partition::BYTES + 4];
    let (prefix, number) = bytes.split_at_mut(Partition::BYTES);
    prefix.copy_from_slice(&partition.to_bytes());
    number.copy_from_slice(&run.to_be_bytes());
    bytes
}

/// A record's key within its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(crate) u64, pub(crate) u64);

impl Key {
    pub(crate) const BYTES: usize = 16;
    pub(crate) const MIN: Key = Key(0, 0);
    pub(crate) const MAX: Key = Key(u64::MAX, u64::MAX);

    /// The key of a collection that needs one number only.
    pub(crate) const fn one(id: u64) -> Key {
        Key(id, 0)
    }

    /// The lowest key above this one.
    pub(crate) fn next(self) -> Option<Key> {
        self.number().checked_add(1).map(Key::of_number)
    }

    /// The highest key below this one.
    pub(crate) fn before(self) -> Option<Key> {
        self.number().checked_sub(1).map(Key::of_number)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    fn of_number(number: u128) -> Key {
        Key((number >> 64) as u64, number as u64)
    }

    /// One number that sorts as the key does, and faster.
    #[inline]
    pub(crate) fn number(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_numbers() {
        let mut sorted = vec![
            Partition::of_grade_year(2, Collection::MarkRows, 3, u64::MAX),
            Partition::of(1, Collection::Learners),
            Partition::of_year(1, Collection::LearnerSubjects, 2026),
            Partition::of(1, Collection::Schools),
            Partition::of(u64::MAX, Collection::Years),
        ];
        let mut by_bytes = sorted.clone();
        sorted.sort();
        by_bytes.sort_by_key(|partition| partition.to_bytes());
        assert_eq!(sorted, by_bytes);
        for partition in sorted {
            assert_eq!(
                Partition::from_bytes(&partition.to_bytes()),
                Some(partition)
            );
        }
    }

    #[test]
    fn every_layout_fits() {
        for collection in Collection::ALL {
            let layout = collection.layout();
            assert!(layout.tags <= Layout::MAX_TAGS && layout.lanes.len() <= Layout::MAX_LANES);
            assert_eq!(Collection::from_number(collection as u8), Some(collection));
        }
    }
}
