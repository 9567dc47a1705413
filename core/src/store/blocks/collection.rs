//! The collections of records, with one declaration for each.

/// The properties of a collection, except its number.
struct CollectionDeclaration {
    name: &'static str,
    division: Division,
    layout: Layout,
}

/// How a collection is divided first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Division {
    /// It is not divided: all its records are in one partition, whatever their school.
    Global,
    BySchool,
}

/// Declares the collections, in the order of their numbers. A new collection gets the next number
/// and is declared last.
macro_rules! catalogue {
    ($($(#[$doc:meta])* $collection:ident = $number:literal, $name:literal, $division:ident,
        $layout:expr;)*) => {
        /// A collection of records with the same layout. The numbers are part of the file format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub(crate) enum Collection { $($(#[$doc])* $collection = $number,)* }

        impl Collection {
            pub(crate) const ALL: [Collection; [$($number),*].len()] =
                [$(Collection::$collection),*];

            pub(crate) const fn numbered(number: u8) -> Option<Collection> {
                match number {
                    $($number => Some(Collection::$collection),)*
                    _ => None,
                }
            }

            const fn row(self) -> &'static CollectionDeclaration {
                match self {
                    $(Collection::$collection => const {
                        &CollectionDeclaration { name: $name, division: Division::$division, layout: $layout }
                    },)*
                }
            }
        }
    };
}

catalogue! {
    /// Key: school id. One partition for all.
    Schools = 1, "schools", Global, Layout::new(0, RENDERED);
    /// Key: API type id. One partition for all.
    ApiTypes = 2, "api types", Global, Layout::new(0, RENDERED);
    /// By school. Key: year.
    Years = 3, "years", BySchool, Layout::new(0, RENDERED);
    /// By school. Key: year, term.
    Terms = 4, "terms", BySchool, Layout::new(0, RENDERED);
    /// By school. Key: grade id.
    Grades = 5, "grades", BySchool, Layout::new(0, RENDERED);
    /// By school. Key: parent id.
    Parents = 6, "parents", BySchool, Layout::new(0, RENDERED);
    /// By school. Key: learner id.
    Learners = 7, "learners", BySchool, Layout::new(7, SEARCHED);
    /// By school. Key: subject id.
    Subjects = 8, "subjects", BySchool, Layout::new(0, RENDERED);
    /// By school and year. Key: learner, subject.
    LearnerSubjects = 9, "learner subjects", BySchool, Layout::new(0, PACKED);
    /// By school. Key: learning outcome id.
    LearningOutcomes = 10, "learning outcomes", BySchool, Layout::new(0, RENDERED);
    /// By school, grade and year. Key: term, subject.
    LearningPrograms = 11, "learning programs", BySchool, Layout::new(2, RENDERED);
    /// By school, grade and year. Key: term, assessment.
    Assessments = 12, "assessments", BySchool, Layout::new(3, RENDERED);
    /// By school. Key: assessment. Contains the location of each assessment.
    AssessmentIndex = 13, "assessment index", BySchool, Layout::new(3, &[]);
    /// By school, grade and year. Key: term, learner. Contains the values that the marks of a
    /// learner add to the templates of the assessments.
    MarkRows = 14, "mark rows", BySchool, Layout::new(0, PACKED);
    /// By school and year. Key: learner, grade. Contains the terms for which there is a mark row.
    MarkRowIndex = 15, "mark row index", BySchool, Layout::new(0, PACKED);
    /// By school. Key: assessment, learner. Contains marks whose assessment does not exist yet.
    WaitingMarks = 16, "waiting marks", BySchool, Layout::new(0, PACKED);
    /// By school. Key: date, absentee id.
    Absentees = 17, "absentees", BySchool, Layout::new(1, RENDERED);
    /// By school. Key: absentee id. Contains the date of each absence.
    AbsenteeIndex = 18, "absentee index", BySchool, Layout::new(1, &[]);
    /// By school. Key: accountable person id.
    AccountablePersons = 19, "accountable persons", BySchool, Layout::new(0, RENDERED);
    /// Key: ethnic group id. One partition for all, as for the other lookups.
    EthnicGroups = 20, "ethnic groups", Global, Layout::new(0, RENDERED);
    /// Key: marital status id.
    MaritalStatuses = 21, "marital statuses", Global, Layout::new(0, RENDERED);
    /// Key: gender id.
    Genders = 22, "genders", Global, Layout::new(0, RENDERED);
    /// Key: language id.
    Languages = 23, "languages", Global, Layout::new(0, RENDERED);
    /// By school. Key: staff member id.
    StaffMembers = 24, "staff members", BySchool, Layout::new(1, RENDERED);
    /// By school. Key: date, discipline id.
    Discipline = 25, "discipline", BySchool, Layout::new(1, RENDERED);
    /// By school. Key: discipline id. Contains the date of each discipline record.
    DisciplineIndex = 26, "discipline index", BySchool, Layout::new(1, &[]);
    /// By school, coverage kind and year. Key: learner or grade, term; or a day. Contains the
    /// coverage of a school that is synced.
    Coverage = 27, "coverage", BySchool, Layout::new(2, &[]);
    /// By school, coverage kind and a range of learners or grades. Key: learner or grade, or day;
    /// year. Contains the outcome of each answer of a sync. The number 0, which no coverage kind
    /// has, contains the header of its passes, and the names of unknown members.
    FetchLog = 28, "fetch_log", BySchool, Layout::new(0, PACKED);
    /// By school, coverage kind and learner or grade, or day. Key: year, number of the piece.
    /// Contains the content of answers that are not published yet.
    FetchedRecords = 29, "fetched_records", BySchool, Layout::new(0, PACKED);
    /// By school. Key: API type, digest of the user name. Contains the state updates of a synced
    /// school that are meant for the service.
    Outbox = 30, "outbox", BySchool, Layout::new(0, PACKED);
    /// One record, which describes the part of another store that this store follows, and its
    /// position there.
    Followed = 31, "followed", Global, Layout::new(0, PACKED);
    /// By school. Key: digest of the learner. Contains the learners that were erased, which neither
    /// a sync nor a feed adds again.
    ErasedLearners = 32, "erased learners", BySchool, Layout::new(0, PACKED);
}

/// The numbers must be consecutive, because the first and the last collection are the limits of
/// the partitions of a school.
const _: () = {
    let mut number = 1;
    let mut rest: &[Collection] = &Collection::ALL;
    while let [collection, others @ ..] = rest {
        assert!(*collection as u8 == number, "the rows are not in order");
        number += 1;
        rest = others;
    }
};

impl Collection {
    /// Returns the bit of this collection in a set of collections.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u8
    }

    pub(crate) const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns whether all its records are in one partition, whatever their school.
    pub(crate) const fn is_global(self) -> bool {
        matches!(self.row().division, Division::Global)
    }

    pub(crate) const fn layout(self) -> Layout {
        self.row().layout
    }
}

/// The parts that a block of a collection has for each record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The number of filter columns.
    pub(crate) filter_columns: usize,
    /// The separators of the columns.
    pub(crate) columns: &'static [Separator],
}

/// The byte between two records of a column, if there is one.
pub(crate) type Separator = Option<u8>;

/// Columns for the pre-rendered JSON, which can be copied into an array, and for residual fields.
const RENDERED: &[Separator] = &[Some(b','), None];
/// The same columns and one for folded names. Its separator is a byte that UTF-8 never contains,
/// so that no match spans two names.
const SEARCHED: &[Separator] = &[Some(b','), None, Some(0xff)];
/// One column, whose bytes are specific to the kind of record.
const PACKED: &[Separator] = &[None];

impl Layout {
    pub(crate) const MAX_FILTER_COLUMNS: usize = 8;
    pub(crate) const MAX_COLUMNS: usize = 3;

    pub(crate) const fn new(filter_columns: usize, columns: &'static [Separator]) -> Layout {
        Layout {
            filter_columns,
            columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::store::blocks::collection::*;

    #[test]
    fn every_layout_fits() {
        for (collection, number) in Collection::ALL.into_iter().zip(1..) {
            let layout = collection.layout();
            assert!(
                layout.filter_columns <= Layout::MAX_FILTER_COLUMNS
                    && layout.columns.len() <= Layout::MAX_COLUMNS
            );
            assert_eq!(Collection::numbered(number), Some(collection));
        }
    }

    /// A set of collections has 64 bits.
    #[test]
    fn every_collection_has_a_bit() {
        let mut set = 0;
        for collection in Collection::ALL {
            assert_eq!(set & collection.bit(), 0, "{collection:?}");
            set |= collection.bit();
        }
    }
}
