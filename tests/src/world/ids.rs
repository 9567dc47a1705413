//! The small sets of ids, which make records collide and join. Each set contains ids whose numeric
//! order differs from the order of their texts.

/// Schools with their weights. Most requests are for the first.
pub(super) const SCHOOLS: [(usize, u64); 3] = [(75, 1000), (15, u64::MAX), (10, 0)];

/// The ids of the schools.
pub(super) const SCHOOL_IDS: [u64; 3] = [1000, u64::MAX, 0];

/// A school id that no record has.
pub(super) const NO_SCHOOL: u64 = 4242;

/// API types with the family that each of them usually has.
pub(super) const API_TYPES: [(u64, &str); 5] = [
    (8, "administration"),
    (9, "curriculum"),
    (3, "finance"),
    (12, "parents"),
    (11, "administration"),
];

/// An API type without a record.
pub(super) const UNNAMED_API_TYPE: u64 = 77;

/// Integrators and their passwords, with weights. Most requests are from the first.
pub(super) const INTEGRATORS: [(usize, (&str, &str)); 3] = [
    (80, ("demo", "demo")),
    (15, ("Zoë \"Q\" \\", "pässwörd 🔑")),
    (5, ("007", "12345")),
];

/// Learners.
pub(super) const LEARNERS: [u64; 6] = [2, 10, 1, 40, 7, u64::MAX];

/// Parents.
pub(super) const PARENTS: [u64; 6] = [40, 41, 5, 100, 0, u64::MAX];

/// Grades; most learners are in the first two.
pub(super) const GRADES: [u64; 3] = [9, 10, 3];

/// Years with their weights. The first is usually the current one.
pub(super) const YEARS: [(usize, u64); 3] = [(86, 2026), (9, 2025), (5, 2027)];

/// Terms.
pub(super) const TERMS: [u64; 3] = [1, 2, 10];

/// Subjects.
pub(super) const SUBJECTS: [u64; 4] = [10, 9, 101, 0];

/// Learning outcomes.
pub(super) const OUTCOMES: [u64; 3] = [3, 20, 1];

/// Assessments.
pub(super) const ASSESSMENTS: [u64; 8] = [5, 6, 40, 7, 100, 1, 2, u64::MAX];

/// Absentees.
pub(super) const ABSENTEES: [u64; 7] = [9, 10, 399_910, 2, 1, 0, u64::MAX];

/// Records of lookups.
pub(super) const LOOKUPS: [u64; 5] = [1, 10, 2, 6, u64::MAX];

/// Members of the staff.
pub(super) const STAFF: [u64; 5] = [13, 9, 100, 0, u64::MAX];

/// Records of discipline.
pub(super) const DISCIPLINE: [u64; 7] = [9, 10, 52, 2, 1, 0, u64::MAX];

/// Accountable persons.
pub(super) const ACCOUNTABLE: [u64; 4] = [40, 5, 0, u64::MAX];
