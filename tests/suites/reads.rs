//! How often the store is read for an answer: cold, and never again.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{
    Absentees, AssessmentMarks, Engine, LearnerStatus, Learners, Options, Question, SubjectMarks,
};
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::meter::Meter;
use rollbook_tests::storage::scenario::options;

/// Two schools with a year's marks, compacted.
fn stored() -> Vec<u8> {
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    for school in &rollbook_tests::sample::federation(2, &SampleSchool::default()) {
        engine.apply(school.reader()).unwrap();
    }
    engine.compact().unwrap();
    engine.close().unwrap();
    disk.bytes()
}

/// How often the store is read for an answer when it has just been opened, when another
/// school was asked the same, and once more.
fn reads(store: &[u8], of: impl Fn(u64) -> Box<dyn Question>) -> [u64; 3] {
    let meter = Meter::on(store.to_vec());
    let options = Options {
        cache_bytes: 32 << 20,
        ..options()
    };
    let engine = Engine::open_with_backend(meter.clone(), options).unwrap();
    [1000, 1001, 1001].map(|school| {
        let before = meter.reads();
        let answer = engine.ask(&*of(school)).unwrap();
        assert_eq!(answer.status.code, 200, "{}", answer.text());
        meter.reads() - before
    })
}

/// What a learner's year of marks reads, in this order, each at once:
///
/// - 2 leaves of `directories`, 4 KiB each: all of the school's are checked together;
/// - 1 or 2 branches of `runs`, 4 KiB each; its root was read when the store was opened;
/// - 3 or 4 leaves of `runs` with the small tables: subjects (16 KiB), learning outcomes
///   (8 KiB), and two of 4 KiB that hold several runs each, of grades, years and terms, and of
///   schools;
/// - 1 run that says in which grades and terms the learner has rows (32 KiB);
/// - 1 leaf of `runs` with the programmes that assessments join (4 KiB);
/// - 1 run with the assessments of the grade and year (64 KiB);
/// - 3 or 4 runs of rows of marks (64 KiB each): a grade's rows lie by term, then by learner.
///
/// Fewer would take another format: rows by learner and then by term, which makes a grade's
/// marks of a term be read from all of its runs, or the small tables of a school in one run.
#[test]
fn an_answer_takes_few_reads_and_then_none() {
    let store = stored();
    // A current one, at both schools.
    let learner_id = 1;
    let marks = |school| -> Box<dyn Question> {
        Box::new(AssessmentMarks {
            school,
            learner_id: Some(learner_id),
            ..AssessmentMarks::default()
        })
    };
    let learner = |school| -> Box<dyn Question> {
        Box::new(Learners {
            school,
            learner_id: Some(learner_id),
            ..Learners::default()
        })
    };
    let left = |school| -> Box<dyn Question> {
        Box::new(Learners {
            school,
            status: LearnerStatus::Left,
            since: "2026-01-01".parse().ok(),
            until: "2026-12-31".parse().ok(),
            ..Learners::default()
        })
    };
    let subjects = |school| -> Box<dyn Question> { Box::new(SubjectMarks { school, learner_id }) };
    // Read without the small tables: only today's date is wanted of the school.
    let absences = |school| -> Box<dyn Question> {
        Box::new(Absentees {
            school,
            ..Absentees::default()
        })
    };
    for (what, reads, most) in [
        ("a learner's year of marks", reads(&store, marks), 12),
        ("a learner", reads(&store, learner), 5),
        ("who left", reads(&store, left), 18),
        ("a learner's subject marks", reads(&store, subjects), 8),
        ("absences of a month", reads(&store, absences), 8),
    ] {
        println!("{what}: {reads:?} reads");
        assert!(reads[0].max(reads[1]) <= most, "{what}: {reads:?}");
        assert_eq!(reads[2], 0, "{what}");
    }
}
