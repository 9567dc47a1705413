//! Reconciles the stored and the fetched records, and determines the changes to make.

use super::completeness::{Relations, is_complete_for};
use super::contradictions::contradicted;
use super::merge_input::{Domains, MergeInput, MergeRow};
use super::publication_input::Publication;
use super::record_merge::{MergeContext, RecordForm, merge};
use super::shrink_guard::{Losses, Quarantine};
use crate::dataset::replication::{stored_coverage, stored_fetch_log};
use crate::dataset::{self, Line, STAGE_BYTES, Stage};
use crate::error::{Error, Result};
use crate::record::field::position;
use crate::record::kinds::assessment::AssessmentPlace;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::fetch_log_entry::FetchState;
use crate::record::values::value;
use crate::record::{Kind, Value};
use crate::store::Write;
use crate::sync::fetched_records::FetchedRecords;
use crate::sync::record_values::{TERMS, put};
use crate::sync::resources::resource_request::ResourceRequest;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The result of a reconciliation.
#[derive(Default)]
pub(crate) struct Reconciliation {
    pub(crate) stage: Stage,
    pub(crate) losses: Losses,
    /// The learners of both lists.
    pub(crate) listed: LearnerLists,
    /// The learners whose marks have changed.
    pub(crate) marked: BTreeSet<u64>,
    /// The requests whose answers have other values of a record than the answers after them.
    pub(crate) contradicted: HashSet<ResourceRequest>,
    /// The grades from which and to which assessments have moved.
    pub(crate) moved: BTreeSet<u64>,
}

/// The learners of each list after the publication.
#[derive(Default)]
pub(crate) struct LearnerLists {
    /// Whether both lists were fetched.
    is_whole: bool,
    pub(crate) current: BTreeSet<u64>,
    pub(crate) waitlist: BTreeSet<u64>,
}

impl LearnerLists {
    pub(crate) fn has(&self, learner: u64) -> bool {
        self.current.contains(&learner) || self.waitlist.contains(&learner)
    }

    /// Returns whether a learner is known to be in neither list.
    pub(crate) fn lacks(&self, learner: u64) -> bool {
        self.is_whole && !self.has(learner)
    }
}

/// The state of a reconciliation. Each record is processed after the records on which it depends.
pub(crate) struct Reconciler<'p> {
    pass: &'p Publication<'p>,
    domains: Domains,
    whole: BTreeSet<CoverageKey>,
    outcome: Reconciliation,
    /// The grade, year and other references of each assessment before the publication.
    old_places: HashMap<u64, AssessmentPlace>,
    /// The grade, year and other references of each assessment after the publication.
    new_places: HashMap<u64, AssessmentPlace>,
    /// The records to which other records refer.
    referenced: HashSet<(Kind, u64)>,
    /// The parents of the learners in answers that include parents. Such an answer contains these
    /// parents if they exist.
    parents_in_answers: HashSet<u64>,
    /// The parents to whom current learners refer.
    parents_of_current: HashSet<u64>,
    /// The subjects that learners take.
    taken: HashSet<u64>,
}

impl<'p> Reconciler<'p> {
    /// Reconciles the published answers of a pass, except for the quarantined ones, with the stored
    /// records.
    pub(crate) fn reconcile(
        pass: &'p Publication<'p>,
        write: &mut Write<'_>,
        quarantined: &Quarantine,
    ) -> Result<Reconciliation> {
        let school = pass.school;
        let requests = pass.requests(write, quarantined);
        let mut whole = stored_coverage::coverage_keys(write, school)?;
        whole.extend(
            requests
                .iter()
                .map(|request| request.coverage_key(pass.year)),
        );
        // Without an answer of Get Schools in this pass, Get School has the newer values.
        let schools = CoverageKey::new(CoverageKind::School);
        let row = pass.rows.get(&schools);
        if row.is_some_and(|row| row.state == FetchState::Failed) {
            whole.remove(&schools);
        }
        let are_all_synced = dataset::are_all_synced(write, school)?;
        let mut rows = MergeInput::default();
        for (number, request) in (0..).zip(requests.iter().copied()) {
            let fetched = FetchedRecords::from_bytes(stored_fetch_log::fetched_records(
                write,
                school,
                request.coverage_key(0),
            )?);
            rows.add_fetched(write, number, &fetched, school)?;
        }
        let domains = Domains::new(requests, pass.year, are_all_synced, &rows.unidentified);
        let mut marks_of = domains.marks_of();
        let stored = dataset::grades_and_years(write, school)?.into_iter();
        marks_of.extend(stored.filter(|(grade, year)| pass.is_year_dropped(*grade, *year)));
        rows.add_stored(write, school, marks_of)?;
        let lists = [
            CoverageKind::CurrentLearners,
            CoverageKind::WaitlistLearners,
        ]
        .map(CoverageKey::new);
        let listed = LearnerLists {
            is_whole: lists.iter().all(|of| whole.contains(of)),
            ..LearnerLists::default()
        };
        let mut reconciler = Reconciler {
            pass,
            domains,
            whole,
            outcome: Reconciliation {
                listed,
                ..Reconciliation::default()
            },
            old_places: HashMap::new(),
            new_places: HashMap::new(),
            referenced: HashSet::new(),
            parents_in_answers: HashSet::new(),
            parents_of_current: HashSet::new(),
            taken: HashSet::new(),
        };
        let mut sorted = rows.sorted(write)?;
        let mut has_school = false;
        while let Some(row) = sorted.next(school)? {
            has_school |= row.kind == Kind::School && row.has_values();
            reconciler.reconcile_record(row)?;
            if reconciler.outcome.stage.sorter.bytes() > STAGE_BYTES {
                write.spill(&mut reconciler.outcome.stage.sorter, "joined")?;
            }
        }
        if !has_school {
            reconciler.add_school()?;
        }
        for (id, old) in &reconciler.old_places {
            let new = reconciler.new_places.get(id).map(|new| new.grade);
            if let Some(new) = new.filter(|new| *new != old.grade) {
                reconciler.outcome.moved.extend([old.grade, new]);
            }
        }
        Ok(reconciler.outcome)
    }

    /// Adds the record of a school of which no answer was read, because other records need it.
    fn add_school(&mut self) -> Result<()> {
        let mut values = vec![Value::Empty; Kind::School.fields().len()];
        put(&mut values, 0, Value::Integer(self.pass.school));
        let line = self.line(Kind::School, values)?;
        self.outcome.stage.push(0, &line, None)
    }

    fn reconcile_record(&mut self, mut row: MergeRow<'_>) -> Result<()> {
        let kind = row.kind;
        // The subjects of a learner that is in no list are not synced, nor are the records to which
        // they refer.
        row.fetched.retain(|(number, _)| {
            let learner = self.domains.learner_of(*number);
            learner.is_none_or(|learner| !self.outcome.listed.lacks(learner))
        });
        if row.fetched.is_empty() && row.stored.is_none() {
            return Ok(());
        }
        let key = row.key();
        let place = |places: &HashMap<u64, AssessmentPlace>| {
            let assessment = key.get(1).filter(|_| kind == Kind::Mark)?;
            places.get(assessment).copied()
        };
        if kind == Kind::Assessment
            && let (Some(values), Some(id)) = (&row.stored, key.get(1))
        {
            self.old_places
                .extend(AssessmentPlace::from_values(values).map(|at| (*id, at)));
        }
        let at = place(&self.new_places).or_else(|| place(&self.old_places));
        let is_obsolete = self.is_obsolete(&row, &key);
        let is_of_dropped_year = self.is_of_dropped_year(&row, &key, at);
        let id = key.get(1).copied().unwrap_or_default();
        let relations = Relations {
            at,
            has_current_child: kind == Kind::Parent && self.parents_of_current.contains(&id),
        };
        let forms = self.domains.forms_of(&row, relations);
        self.outcome.contradicted.extend(contradicted(kind, &forms));
        // No answer shows a mark without its assessment.
        let is_orphan = kind == Kind::Mark && !self.new_places.contains_key(&id);
        let was = row.stored.clone();
        let stored = row.stored.filter(|_| !is_of_dropped_year);
        // The fields of a school, a grade and a subject also depend on other records.
        let is_merged =
            !forms.is_empty() || matches!(kind, Kind::School | Kind::Grade | Kind::Subject);
        let merged = if is_obsolete || is_orphan {
            None
        } else if is_merged {
            let context = MergeContext {
                whole: &self.whole,
                at,
                is_named: match kind {
                    Kind::Subject => self.taken.contains(&id),
                    _ => self.referenced.contains(&(kind, id)),
                },
            };
            merge(kind, stored, &forms, &context)
        } else {
            stored
        };
        // A parent of current learners who is no longer in any answer is obsolete, but counts.
        if (!is_obsolete || kind == Kind::Parent)
            && !is_of_dropped_year
            && let Some(stored) = &was
        {
            self.count(kind, stored, relations, &forms);
        }
        let is_removed = was.is_some() && merged.is_none();
        let shows_parents = forms.iter().any(|form| {
            form.values.is_some()
                && form.request.has_parents()
                && self.domains.has_identified_all(form.request, Kind::Parent)
        });
        let line = match merged {
            Some(values) if !is_merged => {
                self.record_references(kind, &key, &values, shows_parents);
                return Ok(());
            }
            Some(values) => Some(self.line(kind, values)?),
            None => None,
        };
        if let Some(line) = &line {
            self.record_references(kind, &key, &line.values, shows_parents);
        }
        let is_other = line.as_ref().map(|line| &line.values) != was.as_ref();
        if kind == Kind::Mark && is_other {
            self.outcome.marked.extend(key.get(2));
        }
        match line {
            Some(line) if is_other => self.outcome.stage.push(0, &line, None),
            None if is_removed => self.remove(kind, &key),
            _ => Ok(()),
        }
    }

    /// Converts the record to a line of the dataset format.
    fn line<'a>(&self, kind: Kind, mut values: Vec<Value<'a>>) -> Result<Line<'a>> {
        if kind == Kind::School {
            put(&mut values, CURRENT_YEAR, Value::Integer(self.pass.year));
            if let Some(offset) = &self.pass.utc_offset {
                let offset = Value::Text(Cow::Owned(offset.clone()));
                put(&mut values, UTC_OFFSET, offset);
            }
        }
        // Records with values that cannot be stored were left out when the answer was read.
        Line::whole(kind, values).map_err(|_| {
            Error::corrupt("the values that answers have of a record do not form a valid record")
        })
    }

    /// Counts the values that answers would remove from a stored record. The records of a learner
    /// that is in neither list are not counted, because the learner itself is counted in the list.
    fn count(
        &mut self,
        kind: Kind,
        stored: &[Value<'_>],
        relations: Relations,
        forms: &[RecordForm<'_>],
    ) {
        let mut fields = kind.fields().iter().zip(stored);
        let learner = fields.clone().find(|(field, _)| field.name == "learner_id");
        let learner = learner.and_then(|(_, value)| value.integer());
        if learner.is_some_and(|learner| self.outcome.listed.lacks(learner)) {
            return;
        }
        let id = fields.rfind(|(field, _)| field.is_key());
        let id = id.and_then(|(_, value)| value.integer());
        let owner = learner.or(id).unwrap_or_default();
        // An answer that includes parents would have contained those of its learners.
        let is_in_answers = kind == Kind::Parent && self.parents_in_answers.contains(&owner);
        let mut absent = Vec::new();
        if is_in_answers && forms.iter().all(|form| form.values.is_none()) {
            let requests = forms.iter().map(|form| form.request);
            let requests = requests.chain(self.domains.with_parents());
            absent.extend(requests.map(RecordForm::absent));
        }
        let forms = if absent.is_empty() { forms } else { &absent };
        let year = self.pass.year;
        let is_covered = |request: ResourceRequest| {
            is_complete_for(request, year, kind, stored, relations)
                || is_in_answers && request.has_parents()
        };
        self.outcome
            .losses
            .count(kind, stored, owner, forms, is_covered);
    }

    /// Returns whether a record is removed because no answer contains it any more. This applies to
    /// the subjects of learners in no list, which sync does not request; to records of years and
    /// days that sync no longer requests; to records to which no other record refers; and to
    /// parents that an answer would have contained together with their child.
    fn is_obsolete(&self, row: &MergeRow<'_>, key: &[u64]) -> bool {
        let id = key.get(1).copied().unwrap_or_default();
        match row.kind {
            Kind::LearnerSubject => {
                let year = key.get(2).copied().unwrap_or_default();
                self.outcome.listed.lacks(id) || year != self.pass.year
            }
            Kind::Absentee | Kind::Discipline if row.fetched.is_empty() => {
                let values = row.stored.as_deref().unwrap_or_default();
                self.pass.is_day_dropped(row.kind, values)
            }
            Kind::Term if row.fetched.is_empty() => {
                let term = key.get(2).copied().unwrap_or_default();
                id != self.pass.year || !self.referenced.contains(&(Kind::Term, term))
            }
            Kind::Parent if row.fetched.is_empty() => {
                self.parents_in_answers.contains(&id)
                    || !self.referenced.contains(&(Kind::Parent, id))
            }
            Kind::Year | Kind::Subject | Kind::LearningOutcome if row.fetched.is_empty() => {
                !self.referenced.contains(&(row.kind, id))
            }
            _ => false,
        }
    }

    /// Returns whether a stored assessment, mark or programme belongs to a year that sync no longer
    /// requests. For a mark, `at` has the references of its assessment.
    fn is_of_dropped_year(
        &self,
        row: &MergeRow<'_>,
        key: &[u64],
        at: Option<AssessmentPlace>,
    ) -> bool {
        let of = |at: AssessmentPlace| (at.grade, at.year);
        let at = match (row.kind, key) {
            (Kind::Assessment, _) => row
                .stored
                .as_deref()
                .and_then(AssessmentPlace::from_values)
                .map(of),
            (Kind::Mark, _) => at.map(of),
            (Kind::LearningProgram, [_, grade, year, ..]) => Some((*grade, *year)),
            _ => None,
        };
        at.is_some_and(|(grade, year)| self.pass.is_year_dropped(grade, year))
    }

    fn remove(&mut self, kind: Kind, key: &[u64]) -> Result<()> {
        let mut values = vec![Value::Empty; kind.fields().len()];
        for (slot, word) in values.iter_mut().zip(key) {
            *slot = Value::Integer(*word);
        }
        let deleted = true;
        self.outcome.stage.push(
            0,
            &Line {
                kind,
                deleted,
                values,
            },
            None,
        )
    }

    /// Records the references of a record, which determine what happens to later records.
    fn record_references(
        &mut self,
        kind: Kind,
        key: &[u64],
        values: &[Value<'_>],
        shows_parents: bool,
    ) {
        match (kind, key) {
            (Kind::Assessment, [_, id]) => {
                if let Some(at) = AssessmentPlace::from_values(values) {
                    self.new_places.insert(*id, at);
                    self.referenced.insert((Kind::Year, at.year));
                    self.referenced.insert((Kind::Grade, at.grade));
                    self.referenced.insert((Kind::Subject, at.subject));
                    self.referenced.insert((Kind::LearningOutcome, at.outcome));
                }
            }
            (Kind::LearnerSubject, [_, _, _, subject]) => {
                self.taken.insert(*subject);
                self.referenced.insert((Kind::Subject, *subject));
                let grade = values.get(GRADE_TAKEN).and_then(Value::integer);
                self.referenced
                    .extend(grade.map(|grade| (Kind::Grade, grade)));
                if let Some(Value::Terms(terms)) = values.get(TERMS) {
                    let terms = terms.iter().map(|term| (Kind::Term, term.term));
                    self.referenced.extend(terms);
                }
            }
            (Kind::LearningProgram, [_, grade, year, _, subject]) => {
                self.referenced.insert((Kind::Grade, *grade));
                self.referenced.insert((Kind::Year, *year));
                self.referenced.insert((Kind::Subject, *subject));
            }
            (Kind::Learner, [_, id]) => {
                let listed = &mut self.outcome.listed;
                let status = values.get(STATUS).map_or("", Value::text);
                let is_current = matches!(status, "" | "current");
                if is_current {
                    listed.current.insert(*id);
                } else if status == "waitlist" {
                    listed.waitlist.insert(*id);
                }
                let parents = PARENTS.iter().filter_map(|field| values.get(*field));
                for parent in parents.filter_map(|parent| value::integer(parent.text())) {
                    self.referenced.insert((Kind::Parent, parent));
                    if shows_parents {
                        self.parents_in_answers.insert(parent);
                    }
                    if is_current {
                        self.parents_of_current.insert(parent);
                    }
                }
            }
            _ => {}
        }
    }
}

const CURRENT_YEAR: usize = position(Kind::School.fields(), "current_year");
const UTC_OFFSET: usize = position(Kind::School.fields(), "utc_offset");
const GRADE_TAKEN: usize = position(Kind::LearnerSubject.fields(), "grade_id");
const STATUS: usize = position(Kind::Learner.fields(), "status");
const PARENTS: [usize; 2] = [
    position(Kind::Learner.fields(), "parent1_id"),
    position(Kind::Learner.fields(), "parent2_id"),
];
