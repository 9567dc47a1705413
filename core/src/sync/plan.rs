//! What a pass asks for, in its order: each phase needs what the one before told.

use super::ask::{Ask, LOOKUPS, Listing};
use super::machine::{FORBIDDEN, Machine};
use super::step::Why;
use crate::dataset;
use crate::date::Date;
use crate::error::Result;
use crate::record::coverage::{Part, Unit};
use crate::record::field::position;
use crate::record::ledger::{Row, State};
use crate::record::{Kind, Value};
use std::collections::BTreeSet;

/// What is asked together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Start,
    Lists,
    /// Learners' subjects and the structure of marks, which tell the year.
    Year,
    Marks,
    Rest,
    /// What follows from that which was published.
    Follow,
    /// What is asked often once more, to see whether it has changed meanwhile.
    Settle(u8),
    /// What was held back is right.
    Confirmed,
    Done,
}

/// How often it is looked whether the service has changed meanwhile.
const MOST_SETTLING: u8 = 2;

/// The days of a window of absences.
const DAYS: i64 = 30;

impl Machine {
    /// Plans the next phase, or publishes.
    pub(super) fn advance(&mut self) -> Result<()> {
        let publishes = matches!(
            self.phase,
            Phase::Rest | Phase::Follow | Phase::Settle(_) | Phase::Confirmed
        );
        if publishes && self.plan_beside() {
            return Ok(());
        }
        self.phase = match self.phase {
            Phase::Start => {
                self.plan_lists();
                Phase::Lists
            }
            Phase::Lists if !self.has_basis() => {
                // The next sync asks for all of it anew.
                self.end()?;
                self.stopped = Some(Why::Incomplete);
                Phase::Lists
            }
            Phase::Lists => {
                self.plan_year()?;
                Phase::Year
            }
            Phase::Year => {
                self.plan_marks()?;
                Phase::Marks
            }
            Phase::Marks => {
                self.plan_rest();
                Phase::Rest
            }
            Phase::Rest => {
                self.publish(None)?;
                // Whose marks have changed may have others in their subjects too.
                self.plan_learners()?;
                Phase::Follow
            }
            Phase::Follow => {
                self.publish(None)?;
                self.plan_settling()
            }
            Phase::Settle(round) => {
                self.publish(None)?;
                self.settle(round)?
            }
            Phase::Confirmed => {
                self.publish(None)?;
                Phase::Done
            }
            Phase::Done => Phase::Done,
        };
        if self.phase == Phase::Done && self.stopped.is_none() {
            self.end()?;
        }
        Ok(())
    }

    /// What is asked in every pass.
    fn often(&mut self, ask: Ask) {
        if let Some(ask) = self.still(ask) {
            self.queue.push_back(ask);
        }
    }

    /// What seldom changes: it is asked if it was not answered yet, or it is its turn.
    fn seldom(&mut self, ask: Ask) {
        let unit = ask.unit(0);
        let row = self.rows.get(&unit);
        let is_kept = row.is_some_and(|row| row.state == State::Kept && row.to == ask.to());
        if !is_kept || self.rotated.contains(&unit) {
            self.often(ask);
        }
    }

    /// What is to be asked of it in this pass: with less if it may not be had whole.
    fn still(&self, ask: Ask) -> Option<Ask> {
        if self.forbidden.contains(ask.endpoint().v1.0) {
            return None;
        }
        let row = self.rows.get(&ask.unit(0));
        let row = row.filter(|row| row.pass == self.pass() && row.to == ask.to());
        match row {
            None => Some(ask),
            Some(row) if row.less || row.status != FORBIDDEN => None,
            Some(_) => ask.with_less(),
        }
    }

    /// The answer of this pass.
    fn answer(&self, ask: Ask) -> Option<&Row> {
        let row = self.rows.get(&ask.unit(0));
        row.filter(|row| row.pass == self.pass() && row.state != State::GivenUp)
    }

    /// What is asked seldom and lies back longest.
    pub(super) fn oldest(&self) -> BTreeSet<Unit> {
        let is_seldom = |part: Part| {
            !matches!(
                part,
                Part::School
                    | Part::CurrentLearners
                    | Part::WaitlistLearners
                    | Part::LearnerSubjects
                    | Part::MarksOfGrade
                    | Part::StructureOfGrade
                    | Part::Staff
                    | Part::OpenAccounts
                    | Part::AllAccounts
                    | Part::OpenDebtors
                    | Part::AllDebtors
            )
        };
        let last = self.windows().last().map(|(from, _)| from.number());
        let pass = self.pass();
        let rows = self.rows.iter().filter(|(unit, row)| {
            let is_last = unit.part.is_of_days() && Some(unit.key.0) == last;
            is_seldom(unit.part) && !is_last && row.pass < pass
        });
        let mut rows: Vec<(i64, Unit)> = rows.map(|(unit, row)| (row.asked_at, *unit)).collect();
        rows.sort_unstable();
        let oldest = rows.into_iter().take(self.options.rotate());
        oldest.map(|(_, unit)| unit).collect()
    }

    /// The year of answers about the current one.
    pub(super) fn year_of(&self, is_one: impl Fn(&Row) -> bool) -> Option<u64> {
        let rows = self.rows.iter().filter(|(unit, row)| {
            let ask = Ask::of(**unit, row.to, row.less);
            ask.is_some_and(Ask::is_of_current_year) && is_one(row)
        });
        let told = rows.filter_map(|(_, row)| Some((row.pass, row.asked_at, row.year?)));
        told.max().map(|(_, _, year)| year)
    }

    /// The school's current year, and whether an answer told it: else it is the calendar's.
    pub(super) fn year(&self) -> (u64, bool) {
        let told = self.year.or_else(|| self.year_of(|_| true));
        let calendars = || u64::from(self.today().year());
        (told.unwrap_or_else(calendars), told.is_some())
    }

    /// The day on which the pass began.
    fn today(&self) -> Date {
        let began = self.head.map_or(0, |head| head.began);
        self.offset.today(began)
    }

    fn plan_lists(&mut self) {
        self.often(Ask::School);
        for ask in [Ask::SchoolInfo, Ask::Grades] {
            self.seldom(ask);
        }
        for ask in LOOKUPS.map(Ask::Lookup) {
            self.seldom(ask);
        }
        for of in Listing::ALL {
            self.often(Ask::Learners { of, parents: true });
        }
        self.often(Ask::LearnerSubjects);
    }

    /// Without the school and its current learners nothing else means anything.
    fn has_basis(&self) -> bool {
        let listed = Ask::Learners {
            of: Listing::Current,
            parents: true,
        };
        let school = self.answer(Ask::School);
        school.is_some_and(|row| row.records > 0) && self.answer(listed).is_some()
    }

    fn plan_year(&mut self) -> Result<()> {
        for grade in self.grades()? {
            self.often(structure(grade, None));
        }
        self.plan_learners()
    }

    /// Who is new, or takes other subjects than before, and whose turn it is.
    fn plan_learners(&mut self) -> Result<()> {
        for id in self.listed()? {
            self.seldom(Ask::SubjectsPerTerm(id));
            self.seldom(Ask::SubjectMarks(id));
        }
        Ok(())
    }

    /// Marks are asked of a year that is named, so that it cannot turn meanwhile. If no
    /// answer told it, the structure of the calendar's is asked too: if that has none
    /// either, it makes no difference which year is the current one.
    fn plan_marks(&mut self) -> Result<()> {
        let (year, is_told) = self.year();
        for grade in self.grades()? {
            if !is_told || self.answer(structure(grade, None)).is_none() {
                self.often(structure(grade, Some(year)));
            }
            self.often(Ask::Marks {
                grade,
                year: Some(year),
                structure: false,
            });
        }
        Ok(())
    }

    fn plan_rest(&mut self) {
        let windows = self.windows();
        for (index, (from, to)) in windows.iter().enumerate() {
            for ask in [Ask::Absences(*from, *to), Ask::Discipline(*from, *to)] {
                if index + 1 == windows.len() {
                    self.often(ask);
                } else {
                    self.seldom(ask);
                }
            }
        }
        self.often(Ask::Staff);
        self.seldom(Ask::Parents);
        for all in [false, true] {
            let parents = true;
            self.often(Ask::Accounts { all, parents });
            self.often(Ask::Debtors { all });
        }
    }

    /// The windows of days that are asked for, the last one well ahead of today: it lasts
    /// while there is no network. They lie where they lay in the pass before.
    fn windows(&self) -> Vec<(Date, Date)> {
        let today = self.today();
        let first = self.options.first_day(today);
        let window = |from: i64| {
            let to = Date::from_unix_days(from + DAYS - 1);
            (Date::from_unix_days(from), to)
        };
        let day = today.unix_days();
        let (begin, end) = (first.unix_days().div_euclid(DAYS), day.div_euclid(DAYS));
        let mut windows: Vec<_> = (begin..=end).map(|number| window(number * DAYS)).collect();
        if day.rem_euclid(DAYS) >= DAYS / 2 {
            windows.push(window(end * DAYS + DAYS / 2));
        }
        windows
    }

    /// What is to be read again beside that which has changed.
    fn plan_beside(&mut self) -> bool {
        for group in self.groups.clone() {
            let beside = self.beside(Some(group));
            self.queue.extend(beside);
        }
        !self.queue.is_empty()
    }

    /// The service has no snapshot: what is asked often is asked once more after much was
    /// read.
    fn plan_settling(&mut self) -> Phase {
        if !self.head.is_some_and(|head| head.is_published) {
            return Phase::Done;
        }
        let last = self.windows().last().map(|(from, _)| from.number());
        let is_often = |ask: &Ask| match ask {
            Ask::Absences(from, _) | Ask::Discipline(from, _) => Some(from.number()) == last,
            Ask::SchoolInfo
            | Ask::Grades
            | Ask::Lookup(_)
            | Ask::Parents
            | Ask::SubjectsPerTerm(_)
            | Ask::SubjectMarks(_) => false,
            _ => true,
        };
        let pass = self.pass();
        let kept = self.rows.iter();
        let kept =
            kept.filter(|(_, row)| (row.state, row.pass, row.times) == (State::Kept, pass, 1));
        let asks = kept.filter_map(|(unit, row)| Ask::of(*unit, row.to, row.less));
        self.queue = asks.filter(is_often).collect();
        Phase::Settle(1)
    }

    /// What has changed meanwhile is asked once more, and at last reported.
    fn settle(&mut self, round: u8) -> Result<Phase> {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return Ok(Phase::Done);
        }
        if round > MOST_SETTLING {
            let targets = changed.iter().map(|ask| ask.target(self.school));
            self.report.unsettled = targets.collect();
            return Ok(Phase::Done);
        }
        self.queue.extend(changed);
        self.plan_learners()?;
        Ok(Phase::Settle(round + 1))
    }

    /// The learners of both lists.
    fn listed(&self) -> Result<BTreeSet<u64>> {
        let mut learners = BTreeSet::new();
        for of in Listing::ALL {
            let ask = Ask::Learners { of, parents: true };
            if self.is_told(ask) {
                learners.extend(self.told(ask, Kind::Learner, LEARNER)?);
            } else {
                let kept = self
                    .staging
                    .read(|snapshot| dataset::learners(snapshot, self.school, of.status()));
                learners.extend(kept?);
            }
        }
        Ok(learners)
    }

    /// The grades of the list, those in which learners take subjects, and those of which
    /// marks were read before.
    fn grades(&self) -> Result<BTreeSet<u64>> {
        let mut grades = BTreeSet::new();
        let (year, _) = self.year();
        if self.is_told(Ask::Grades) {
            grades.extend(self.told(Ask::Grades, Kind::Grade, GRADE_ID)?);
        } else {
            let kept = self
                .staging
                .read(|snapshot| dataset::grades(snapshot, self.school));
            grades.extend(kept?);
        }
        for (unit, row) in &self.rows {
            match unit.part {
                Part::MarksOfGrade | Part::StructureOfGrade if [0, year].contains(&unit.year) => {
                    grades.insert(unit.key.0);
                }
                Part::SubjectsPerTerm | Part::SubjectMarks => {
                    if let Some(ask) = Ask::of(*unit, row.to, row.less)
                        && self.is_told(ask)
                    {
                        grades.extend(self.told(ask, Kind::LearnerSubject, GRADE_TAKEN)?);
                    }
                }
                _ => {}
            }
        }
        Ok(grades)
    }

    /// Whether it is read, and not published yet.
    fn is_told(&self, ask: Ask) -> bool {
        let row = self.rows.get(&ask.unit(0));
        row.is_some_and(|row| row.state == State::Told)
    }

    /// The numbers that a field of the records has that an answer tells.
    fn told(&self, ask: Ask, kind: Kind, field: usize) -> Result<BTreeSet<u64>> {
        let told = self.staging.told(ask)?;
        let mut numbers = BTreeSet::new();
        for record in told.records(self.school) {
            let record = record?;
            if record.kind == kind {
                numbers.extend(record.values.get(field).and_then(Value::integer));
            }
        }
        Ok(numbers)
    }
}

fn structure(grade: u64, year: Option<u64>) -> Ask {
    Ask::Marks {
        grade,
        year,
        structure: true,
    }
}

const LEARNER: usize = position(Kind::Learner.fields(), "id");
const GRADE_ID: usize = position(Kind::Grade.fields(), "grade_id");
const GRADE_TAKEN: usize = position(Kind::LearnerSubject.fields(), "grade_id");
