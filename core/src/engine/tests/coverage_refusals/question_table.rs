//! A table of all endpoints that read synced data, with the data that their questions read.

use super::day;
use crate::dataset::replication::stored_coverage::CoverageAddition;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};

/// A question, and one part of the coverage that it needs in addition to others.
pub(crate) struct Row {
    /// The targets of v1 and v2.
    pub(crate) targets: [String; 2],
    pub(crate) seen: CoverageAddition,
    /// The description of the missing data in the error.
    pub(crate) what: &'static str,
    pub(crate) others: Vec<CoverageAddition>,
}

/// The path and query, the coverage that is needed, its description, and the other coverage that is
/// needed.
const ROWS: &str = "
adminplus/learners; CurrentLearners; the current learners;
adminplus/learners?learner_id=77; CurrentLearners; the current learners;
adminplus/learners?status=waitlist; WaitlistLearners; the learners on the waitlist;
adminplus/learners?include_parents=1; LearnersParents; the parents of learners; CurrentLearners
adminplus/learnerabsentees; Absences days 2026-04-14 2026-05-14; the absences from 2026-04-14 to 2026-05-14;
adminplus/learnerdiscipline?to_date=2026-05-10; Discipline days 2026-04-10 2026-05-10; the discipline from 2026-04-10 to 2026-05-10;
adminplus/parents; Parents; the parents; CurrentLearners
adminplus/parents; CurrentLearners; the current learners; Parents
adminplus/staffmembers; Staff; the current staff;
adminplus/school; SchoolInfo; the school's information;
adminplus/lookup/grade; Grades; the grades;
currplus/learnersubjects; LearnerSubjects year 2026; the learners' subjects of 2026;
currplus/learnersubjects?learner_id=8; LearnersOwnSubjects id 8; the subjects of the learner 8 in 2026;
currplus/learnersubjectsperterm?learner_id=7; SubjectsPerTerm id 7; the subjects per term of the learner 7 in 2026;
currplus/learnersubjectmarks?learner_id=7; SubjectMarks id 7; the subject marks of the learner 7 in 2026;
currplus/learnerassessmentmarks?grade_id=9; MarksOfGrade id 9; the assessment marks of the grade 9 in 2026;
currplus/learnerassessmentmarks?grade_id=9&term=1; MarksOfGrade id 9; the assessment marks of the grade 9 in 2026;
currplus/learnerassessmentmarks?grade_id=9&structure=1; StructureOfGrade id 9; the structure of the marks of the grade 9 in 2026;
currplus/learnerassessmentmarks?learner_id=7&structure=1; StructureOfLearner id 7; the structure of the marks of the learner 7 in 2026;
finplus/debtmanagement/learnerparentinfo; OpenAccounts; the learners whose accounts are open;
finplus/debtmanagement/learnerparentinfo?all_accounts=1; AllAccounts; the accounts of all learners;
finplus/debtmanagement/learnerparentinfo?include_parents=1; LearnersParents; the parents of learners; OpenAccounts, AllAccounts
finplus/debtmanagement/learnerparentinfo?include_parents=1; AllAccounts; the accounts of all learners; OpenAccounts, LearnersParents
finplus/debtmanagement/learnerparentinfo?include_accountable_person=1; AllDebtors; all accountable persons; OpenAccounts
finplus/debtmanagement/schooldebtors; OpenDebtors; the accountable persons whose accounts are open;
finplus/debtmanagement/schooldebtors?all_accounts=1; AllDebtors; all accountable persons;
finplus/debtmanagement/schooldebtors?include_learners=1; OpenAccounts; the learners whose accounts are open; OpenDebtors
finplus/debtmanagement/schools; School; the school's record;
";

/// The paths that differ in v2.
const RENAMED: [(&str, &str); 2] = [
    ("/learnerparentinfo", "/learners"),
    ("/schooldebtors", "/accountablepersons"),
];

pub(crate) fn rows() -> Vec<Row> {
    let lines = ROWS.lines().filter(|line| !line.is_empty());
    lines.filter_map(row).collect()
}

pub(crate) fn count() -> usize {
    ROWS.lines().filter(|line| !line.is_empty()).count()
}

fn row(line: &'static str) -> Option<Row> {
    let mut cells = line.split(';').map(str::trim);
    let (target, read, what) = (cells.next()?, cells.next()?, cells.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut v2 = format!("/api/v2/{path}?{query}");
    for (old, new) in RENAMED {
        v2 = v2.replace(old, new);
    }
    Some(Row {
        targets: [format!("/api/v1/{path}/1000?{query}"), v2],
        seen: seen(read)?,
        what,
        others: cells.next()?.split(", ").filter_map(seen).collect(),
    })
}

/// Parses a coverage kind with a year, an id, or days.
fn seen(text: &str) -> Option<CoverageAddition> {
    let mut words = text.split(' ');
    let name = words.next()?;
    let kind = CoverageKind::ALL
        .into_iter()
        .find(|kind| format!("{kind:?}") == name)?;
    let form = words.next();
    let words: Vec<&str> = words.collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let coverage_key = match (form, numbers.as_slice(), words.as_slice()) {
        (None, ..) => CoverageKey::new(kind),
        (Some("year"), [year], _) => CoverageKey::of_year(kind, *year),
        (Some("id"), [id], _) => CoverageKey::of_id(kind, 2026, *id),
        (Some("days"), _, [from, to]) => {
            return Some(CoverageAddition::Days(kind, day(from), day(to)));
        }
        _ => return None,
    };
    Some(CoverageAddition::Whole(coverage_key))
}
