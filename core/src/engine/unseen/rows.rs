//! Every endpoint that reads what sync brings of a school, with what its questions read.

use super::day;
use crate::dataset::coverage::Seen;
use crate::record::coverage::{Part, Unit};

/// A question, and the one thing that it reads beside others.
pub(super) struct Row {
    /// In v1 and in v2.
    pub(super) targets: [String; 2],
    pub(super) seen: Seen,
    /// What is said if that was not seen.
    pub(super) what: &'static str,
    pub(super) others: Vec<Seen>,
}

/// The path and query, what is read, how that is called, and what is read beside.
const ROWS: &str = "
adminplus/learners; CurrentLearners; the current learners;
adminplus/learners?learner_id=77; CurrentLearners; the current learners;
adminplus/learners?status=waitlist; WaitlistLearners; the learners on the waitlist;
adminplus/learners?status=left; LeftLearners days 2026-04-14 2026-05-14; the learners who left from 2026-04-14 to 2026-05-14;
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
currplus/learnerassessmentmarks?learner_id=7; MarksOfLearner id 7; the assessment marks of the learner 7 in 2026;
currplus/learnerassessmentmarks?grade_id=9; MarksOfGrade id 9; the assessment marks of the grade 9 in 2026;
currplus/learnerassessmentmarks?grade_id=9&term=1; MarksOfTerm term 9 1; the assessment marks of the grade 9 in term 1 of 2026;
currplus/learnerassessmentmarks?grade_id=9&structure=1; StructureOfGrade id 9; the structure of the marks of the grade 9 in 2026;
currplus/learnerassessmentmarks?learner_id=7&structure=1; StructureOfLearner id 7; the structure of the marks of the learner 7 in 2026;
finplus/debtmanagement/learnerparentinfo; OpenAccounts; the learners whose accounts are open;
finplus/debtmanagement/learnerparentinfo?all_accounts=1; AllAccounts; the accounts of all learners;
finplus/debtmanagement/learnerparentinfo?include_parents=1; LearnersParents; the parents of learners; OpenAccounts
finplus/debtmanagement/learnerparentinfo?include_accountable_person=1; LearnersDebtors; the persons accountable for learners; OpenAccounts
finplus/debtmanagement/schooldebtors; OpenDebtors; the accountable persons whose accounts are open;
finplus/debtmanagement/schooldebtors?all_accounts=1; AllDebtors; all accountable persons;
finplus/debtmanagement/schooldebtors?include_learners=1; OpenAccounts; the learners whose accounts are open; OpenDebtors
finplus/debtmanagement/schools; School; the school's record;
";

/// Where v2 has another path.
const RENAMED: [(&str, &str); 2] = [
    ("/learnerparentinfo", "/learners"),
    ("/schooldebtors", "/accountablepersons"),
];

pub(super) fn rows() -> Vec<Row> {
    let lines = ROWS.lines().filter(|line| !line.is_empty());
    lines.filter_map(row).collect()
}

pub(super) fn count() -> usize {
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
        others: cells.next().and_then(seen).into_iter().collect(),
    })
}

/// `Part`, with a year, an id, a grade and a term, or days.
fn seen(text: &str) -> Option<Seen> {
    let mut words = text.split(' ');
    let name = words.next()?;
    let part = Part::ALL
        .into_iter()
        .find(|part| format!("{part:?}") == name)?;
    let form = words.next();
    let words: Vec<&str> = words.collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let unit = match (form, numbers.as_slice(), words.as_slice()) {
        (None, ..) => Unit::of(part),
        (Some("year"), [year], _) => Unit::of_year(part, *year),
        (Some("id"), [id], _) => Unit::of_id(part, 2026, *id),
        (Some("term"), [grade, term], _) => Unit::of_term(part, 2026, *grade, *term),
        (Some("days"), _, [from, to]) => return Some(Seen::Days(part, day(from), day(to))),
        _ => return None,
    };
    Some(Seen::Whole(unit))
}
