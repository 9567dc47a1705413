//! Bytes that say how a row of a store is damaged.

use crate::storage::asked::NOW;
use crate::storage::disk::Disk;
use crate::storage::scenario::options;
use crate::storage::small::{self, CHANGES, SCHOOL};
use crate::storage::tables::{self, DIRECTORIES, INTEGRATORS, META, RUNS};
use rollbook::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, Credentials, Engine, FinanceLearners,
    LearnerSubjects, Learners, Page, Question, Result, Schools, SubjectMarks, SubjectsPerTerm,
};
use std::sync::OnceLock;

/// A store, and where the bytes of each row lie in it.
struct Store {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

struct Row {
    /// Its newest copy, and those in pages that were given up.
    copies: Vec<usize>,
    length: usize,
}

/// A row below this length may stand anywhere by chance.
const SHORT: usize = 12;

fn store() -> &'static Store {
    static STORE: OnceLock<Store> = OnceLock::new();
    STORE.get_or_init(|| {
        let bytes = small::store();
        let all = [RUNS, DIRECTORIES, INTEGRATORS, META].into_iter();
        let all = all.flat_map(|table| tables::rows(bytes.clone(), table));
        let long = all.filter(|(_, row)| row.len() >= SHORT);
        let row = |(_, row): (Vec<u8>, Vec<u8>)| Row {
            copies: places(&bytes, &row),
            length: row.len(),
        };
        let rows = long.map(row).collect();
        Store { bytes, rows }
    })
}

fn places(bytes: &[u8], row: &[u8]) -> Vec<usize> {
    let windows = bytes.windows(row.len()).enumerate();
    let found = windows.filter(|(_, window)| *window == row);
    found.map(|(at, _)| at).collect()
}

/// Damages a row, then asks everything, and now and then changes something: the first
/// two bytes say which row it is, the third what is changed, and each three after them
/// where a byte of the row is another and what is added to it. Gives how many questions
/// failed.
pub fn rows(bytes: &[u8]) -> usize {
    let Some(([low, high, change], damage)) = bytes.split_first_chunk() else {
        return 0;
    };
    let store = store();
    let mut file = store.bytes.clone();
    let row = &store.rows[usize::from(u16::from_le_bytes([*low, *high])) % store.rows.len()];
    let (damage, _) = damage.as_chunks();
    for [low, high, added] in damage {
        let at = usize::from(u16::from_le_bytes([*low, *high])) % row.length;
        for copy in &row.copies {
            file[copy + at] = file[copy + at].wrapping_add(*added);
        }
    }
    let Ok(engine) = Engine::open_with_backend(Disk::of(file), options()) else {
        return 1;
    };
    let failed = ask(&engine);
    if let Some(change) = CHANGES.get(usize::from(change % 16)) {
        let _ = change(&engine);
        ask(&engine);
    }
    failed
}

/// Asks every kind of question, as v1 and as v2 answer it, and exports.
fn ask(engine: &Engine) -> usize {
    let school = SCHOOL;
    let learner_id = Some(1);
    let from_date = "2026-04-20".parse().ok();
    let questions: [Result<()>; 13] = [
        both(
            engine,
            &Learners {
                school,
                include_parents: true,
                ..Learners::default()
            },
        ),
        both(
            engine,
            &Learners {
                school,
                name: Some("an"),
                ..Learners::default()
            },
        ),
        both(
            engine,
            &AssessmentMarks {
                school,
                grade_id: Some(9),
                ..AssessmentMarks::default()
            },
        ),
        both(
            engine,
            &AssessmentMarks {
                school,
                learner_id,
                ..AssessmentMarks::default()
            },
        ),
        both(
            engine,
            &SubjectsPerTerm {
                school,
                learner_id: 1,
            },
        ),
        both(
            engine,
            &SubjectMarks {
                school,
                learner_id: 1,
            },
        ),
        both(
            engine,
            &LearnerSubjects {
                school,
                learner_id: None,
            },
        ),
        both(
            engine,
            &Absentees {
                school,
                from_date,
                ..Absentees::default()
            },
        ),
        both(
            engine,
            &Absentees {
                school,
                id: Some(399_919),
                ..Absentees::default()
            },
        ),
        both(
            engine,
            &Schools {
                username: "demo",
                school: None,
            },
        ),
        both(
            engine,
            &Clients {
                username: "demo",
                ..Clients::default()
            },
        ),
        both(
            engine,
            &FinanceLearners {
                school,
                all_accounts: true,
                include_accountable_person: true,
                ..FinanceLearners::default()
            },
        ),
        both(
            engine,
            &AccountablePersons {
                school,
                include_learners: true,
                ..AccountablePersons::default()
            },
        ),
    ];
    let exported = engine
        .export(Credentials::Keep)
        .and_then(|lines| lines.map(|line| line.map(drop)).collect());
    questions
        .into_iter()
        .chain([exported])
        .filter(Result::is_err)
        .count()
}

fn both(engine: &Engine, question: &impl Question) -> Result<()> {
    let mut answer = Vec::new();
    engine.ask_into(question, Some(NOW), &mut answer)?;
    let page = Page {
        limit: Some(50),
        reverse_order: true,
        ..Page::default()
    };
    engine.page_into(question, &page, Some(NOW), &mut answer)?;
    Ok(())
}
