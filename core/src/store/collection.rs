//! The collections of records: a row each.

/// What a collection is, beside its number.
struct Row {
    name: &'static str,
    division: Division,
    layout: Layout,
}

/// What a collection is divided by first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Division {
    /// Nothing: all its records lie in one partition, whatever their school.
    Global,
    BySchool,
}

/// Declares the collections, in the order of their numbers: a new one has the next and
/// stands last.
macro_rules! catalogue {
    ($($(#[$doc:meta])* $collection:ident = $number:literal, $name:literal, $division:ident,
        $layout:expr;)*) => {
        /// A collection of records of one make. The numbers are part of the format.
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

            const fn row(self) -> &'static Row {
                match self {
                    $(Collection::$collection => const {
                        &Row { name: $name, division: Division::$division, layout: $layout }
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
    /// By school. Key: assessment. Tells where the assessment lies.
    AssessmentIndex = 13, "assessment index", BySchool, Layout::new(3, &[]);
    /// By school, grade and year. Key: term, learner. What a learner's marks
    /// fill into the templates of the assessments.
    MarkRows = 14, "mark rows", BySchool, Layout::new(0, PACKED);
    /// By school and year. Key: learner, grade. The terms with a mark row.
    MarkRowIndex = 15, "mark row index", BySchool, Layout::new(0, PACKED);
    /// By school. Key: assessment, learner. Marks without an assessment.
    WaitingMarks = 16, "waiting marks", BySchool, Layout::new(0, PACKED);
    /// By school. Key: date, absentee id.
    Absentees = 17, "absentees", BySchool, Layout::new(1, RENDERED);
    /// By school. Key: absentee id. Tells the date.
    AbsenteeIndex = 18, "absentee index", BySchool, Layout::new(1, &[]);
    /// By school. Key: accountable person id.
    AccountablePersons = 19, "accountable persons", BySchool, Layout::new(0, RENDERED);
    /// Key: ethnic group id. One partition for all, as those of the other lookups.
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
    /// By school. Key: discipline id. Tells the date.
    DisciplineIndex = 26, "discipline index", BySchool, Layout::new(1, &[]);
    /// By school, part and year. Key: learner or grade, term; or a day. What was seen of
    /// a school that is synced.
    Coverage = 27, "coverage", BySchool, Layout::new(2, &[]);
    /// By school, part and some learners or grades. Key: learner or grade, or day; year.
    /// What came of the answers of a sync; its head, of part 0.
    Ledger = 28, "ledger", BySchool, Layout::new(0, PACKED);
    /// By school, part and learner or grade, or day. Key: year, number of the piece. What
    /// these answers told.
    Told = 29, "told", BySchool, Layout::new(0, PACKED);
    /// By school. Key: API type, digest of the user name. State updates of a school that is
    /// synced, until the service has heard of them.
    Wishes = 30, "wishes", BySchool, Layout::new(0, PACKED);
    /// One record: what the store follows of another one, and how far.
    Followed = 31, "followed", Global, Layout::new(0, PACKED);
}

/// The first and the last of all bound those of a school.
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
    /// This collection's bit in a set of collections.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u8
    }

    pub(crate) const fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether all its records lie in one partition, whatever their school.
    pub(crate) const fn is_global(self) -> bool {
        matches!(self.row().division, Division::Global)
    }

    pub(crate) const fn layout(self) -> Layout {
        self.row().layout
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

/// Renderings, ready to be copied into an array, and facts.
const RENDERED: &[Separator] = &[Some(b','), None];
/// The same, and folded names: between them a byte that UTF-8 never has, so that no
/// match spans two.
const SEARCHED: &[Separator] = &[Some(b','), None, Some(0xff)];
/// Bytes of the record's own kind.
const PACKED: &[Separator] = &[None];

impl Layout {
    pub(crate) const MAX_TAGS: usize = 8;
    pub(crate) const MAX_LANES: usize = 3;

    pub(super) const fn new(tags: usize, lanes: &'static [Separator]) -> Layout {
        Layout { tags, lanes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_fits() {
        for (collection, number) in Collection::ALL.into_iter().zip(1..) {
            let layout = collection.layout();
            assert!(layout.tags <= Layout::MAX_TAGS && layout.lanes.len() <= Layout::MAX_LANES);
            assert_eq!(Collection::numbered(number), Some(collection));
        }
    }

    /// A set of them is 64 bits.
    #[test]
    fn every_collection_has_a_bit() {
        let mut set = 0;
        for collection in Collection::ALL {
            assert_eq!(set & collection.bit(), 0, "{collection:?}");
            set |= collection.bit();
        }
    }
}
