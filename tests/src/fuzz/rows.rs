//! Bytes that say how a row of a store is damaged.

use crate::storage::asked;
use crate::storage::disk::Disk;
use crate::storage::scenario::options;
use crate::storage::small::{self, CHANGES, SCHOOL};
use crate::storage::tables::{self, DIRECTORIES, Definition, INTEGRATORS, META, RUNS};
use rollbook::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, Engine, FinanceLearners,
    LearnerSubjects, Learners, Page, Question, Result, Schools, SubjectMarks, SubjectsPerTerm,
};
use std::sync::OnceLock;

/// A store, and where the bytes of each row lie in it.
struct Store {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

struct Row {
    table: Definition,
    key: Vec<u8>,
    value: Vec<u8>,
    /// What is answered from it.
    asked: Vec<Ask>,
}

/// A row below this length has nothing to read.
const SHORT: usize = 12;

fn store() -> &'static Store {
    static STORE: OnceLock<Store> = OnceLock::new();
    STORE.get_or_init(|| {
        let bytes = small::store();
        let all = [RUNS, DIRECTORIES, INTEGRATORS, META].into_iter();
        let all = all.flat_map(|table| {
            let rows = tables::rows(bytes.clone(), table).into_iter();
            rows.map(move |(key, value)| (table, key, value))
        });
        let long = all.filter(|(_, _, value)| value.len() >= SHORT);
        let rows = long.map(|(table, key, value)| Row::of(&bytes, table, key, value));
        let rows = rows.collect();
        Store { bytes, rows }
    })
}

impl Row {
    fn of(file: &[u8], table: Definition, key: Vec<u8>, value: Vec<u8>) -> Row {
        let mut placed = Row {
            table,
            key,
            value,
            asked: Vec::new(),
        };
        let broken = placed.value.iter().map(|byte| byte.wrapping_add(0x55));
        let broken = placed.put(file, broken.collect());
        let answers = |file: &[u8]| {
            let engine = Engine::open_with_backend(Disk::of(file.to_vec()), options());
            QUESTIONS.map(|ask| engine.as_ref().map_or_else(|error| Err(error.clone()), ask))
        };
        let both = answers(file).into_iter().zip(answers(&broken));
        let touched = QUESTIONS.into_iter().zip(both);
        let touched = touched.filter(|(_, (whole, broken))| whole != broken);
        placed.asked = touched.map(|(ask, _)| ask).collect();
        placed
    }

    /// The file with another value in this row, and checksums that fit it: else nothing
    /// would be read of it.
    fn put(&self, file: &[u8], value: Vec<u8>) -> Vec<u8> {
        tables::with_rows(file.to_vec(), self.table, &[(self.key.clone(), value)])
    }
}

/// Damages a row, then asks what is answered from it, and now and then exports all or
/// changes something: the first two bytes say which row it is, the third what is done
/// beside asking, and each three after them where a byte of the row is another and what
/// is added to it. Says whether anything failed.
pub fn rows(bytes: &[u8]) -> bool {
    let Some(([low, high, beside], damage)) = bytes.split_first_chunk() else {
        return false;
    };
    let store = store();
    let row = &store.rows[usize::from(u16::from_le_bytes([*low, *high])) % store.rows.len()];
    let mut value = row.value.clone();
    let (damage, _) = damage.as_chunks();
    for [low, high, added] in damage {
        let at = usize::from(u16::from_le_bytes([*low, *high])) % value.len();
        value[at] = value[at].wrapping_add(*added);
    }
    let file = row.put(&store.bytes, value);
    let Ok(engine) = Engine::open_with_backend(Disk::of(file), options()) else {
        return true;
    };
    let ask = || row.asked.iter().filter(|ask| ask(&engine).is_err()).count();
    let mut failed = ask();
    if beside.is_multiple_of(16) {
        failed += usize::from(asked::export(&engine).is_err());
    }
    if let Some(change) = CHANGES.get(usize::from(*beside) / 2) {
        failed += usize::from(change(&engine).is_err()) + ask();
    }
    failed > 0
}

/// Asks a question, and gives both answers to it.
type Ask = fn(&Engine) -> Result<[Vec<u8>; 2]>;

const QUESTIONS: [Ask; 13] = [
    |engine| {
        let all = Learners {
            school: SCHOOL,
            include_parents: true,
            ..Learners::default()
        };
        both(engine, &all)
    },
    |engine| {
        both(
            engine,
            &Learners {
                school: SCHOOL,
                name: Some("an"),
                ..Learners::default()
            },
        )
    },
    |engine| {
        both(
            engine,
            &AssessmentMarks {
                grade_id: Some(9),
                ..MARKS
            },
        )
    },
    |engine| {
        both(
            engine,
            &AssessmentMarks {
                learner_id: Some(1),
                ..MARKS
            },
        )
    },
    |engine| {
        both(
            engine,
            &SubjectsPerTerm {
                school: SCHOOL,
                learner_id: 1,
            },
        )
    },
    |engine| {
        both(
            engine,
            &SubjectMarks {
                school: SCHOOL,
                learner_id: 1,
            },
        )
    },
    |engine| {
        both(
            engine,
            &LearnerSubjects {
                school: SCHOOL,
                learner_id: None,
            },
        )
    },
    |engine| {
        both(
            engine,
            &Absentees {
                school: SCHOOL,
                ..Absentees::default()
            },
        )
    },
    |engine| {
        both(
            engine,
            &Absentees {
                school: SCHOOL,
                id: Some(399_919),
                ..Absentees::default()
            },
        )
    },
    |engine| {
        both(
            engine,
            &Schools {
                username: "demo",
                school: None,
            },
        )
    },
    |engine| {
        both(
            engine,
            &Clients {
                username: "demo",
                ..Clients::default()
            },
        )
    },
    |engine| {
        let all = FinanceLearners {
            school: SCHOOL,
            all_accounts: true,
            include_accountable_person: true,
            ..FinanceLearners::default()
        };
        both(engine, &all)
    },
    |engine| {
        let school = SCHOOL;
        let all = AccountablePersons {
            school,
            include_learners: true,
            ..Default::default()
        };
        both(engine, &all)
    },
];

const MARKS: AssessmentMarks = AssessmentMarks {
    school: SCHOOL,
    learner_id: None,
    grade_id: None,
    subject_id: None,
    year: None,
    term: None,
    learning_outcome_id: None,
    assessment_id: None,
    structure: false,
};

/// Asks as v1 answers and as v2 does.
fn both(engine: &Engine, question: &impl Question) -> Result<[Vec<u8>; 2]> {
    let backwards = Page {
        limit: Some(50),
        reverse_order: true,
        ..Page::default()
    };
    Ok([
        engine.ask(question)?.body,
        engine.page(question, &backwards)?.body,
    ])
}
