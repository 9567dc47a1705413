//! Counts how often the store is read for an answer: a few times at first, and not at all when
//! repeated.
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

/// Returns a compacted store with two schools that have marks of a year.
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

/// Returns the numbers of reads for an answer: after opening, for another school, and when
/// repeated.
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

/// The marks of a learner in a year need these reads, in this order:
///
/// - 2 leaves of `block_indexes`, 4 KiB each: all of those of the school are checked together;
/// - 1 or 2 branches of `blocks`, 4 KiB each; its root was read when the store was opened;
/// - 3 or 4 leaves of `blocks` with the small tables: subjects (16 KiB), learning outcomes
///   (8 KiB), and two of 4 KiB with several blocks each, of grades, years and terms, and of
///   schools;
/// - 1 block that lists the grades and terms in which the learner has rows (32 KiB);
/// - 1 leaf of `blocks` with the learning programmes of the assessments (4 KiB);
/// - 1 block with the assessments of the grade and year (64 KiB);
/// - 3 or 4 blocks of mark rows (64 KiB each): the rows of a grade are sorted by term,
///   then by learner.
///
/// Fewer reads would require another format: with rows sorted by learner and then term, the marks
/// of a grade in a term would be read from all of its blocks.
#[test]
fn an_answer_takes_few_reads_and_then_none() {
    let store = stored();
    // A current learner in both schools.
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
    // These need no small tables: only the date of today at the school.
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
