//! Counts the instructions of each question and each load with Callgrind, so that other work on the
//! machine has no effect. The benchmark fails if one exceeds its limit, which is 5 % above the
//! count on x86-64 with AVX2 and glibc. If a change justifies more instructions, change the limit
//! in the same commit.
//!
//! It needs Valgrind, and the runner of the same version as the library:
//!
//! ```text
//! cargo install gungraun-runner --version 0.20.0 --locked
//! cargo bench -p rollbook-benches --no-default-features --bench instructions
//! ```
#![expect(missing_docs, reason = "the macros of gungraun write public items")]
#![expect(clippy::unwrap_used, reason = "a failure must abort the benchmark")]

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind};
use rollbook::{
    Discipline, Engine, Grades, Lookup, LookupList, Options, Parents, Question, SchoolInfo,
    StaffMembers,
};
use rollbook_benches::ask::{Ask, Asked as _, QUESTIONS};
use rollbook_benches::ours::{Requests, Typed};
use rollbook_benches::pages::{self, PageAsk, WALKED};
use rollbook_benches::peer::Peer as _;
use rollbook_tests::login;
use rollbook_tests::sample::SampleSchool;
use std::hint::black_box;
use std::io::Read as _;

/// The store of the questions. It is loaded outside of Valgrind.
const STORE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/instructions.redb");

/// An ask that was answered before, so that everything it needs is cached.
struct Warm {
    engine: Engine,
    ask: Ask,
    answer: Vec<u8>,
}

#[library_benchmark(setup = warm_typed)]
#[bench::all_current_learners(args = ("all current learners"), config = at_most(102_100))]
#[bench::two_grades_with_parents(args = ("two grades with parents"), config = at_most(411_000))]
#[bench::one_learner(args = ("one learner by id"), config = at_most(2_080))]
#[bench::name_search(args = ("name search"), config = at_most(10_700))]
#[bench::marks_of_learner(args = ("marks of a learner, a year"), config = at_most(124_500))]
#[bench::marks_of_grade(args = ("marks of a grade, a term"), config = at_most(2_497_000))]
#[bench::absentees(args = ("absentees, a month"), config = at_most(12_400))]
#[bench::learner_subjects(args = ("learner subjects of a school"), config = at_most(1_092_000))]
#[bench::subject_marks(args = ("subject marks of a learner"), config = at_most(7_520))]
#[bench::subjects_per_term(args = ("subjects per term of a learner"), config = at_most(11_810))]
#[bench::left(args = ("left, four months"), config = at_most(12_300))]
#[bench::marks_of_outcome(args = ("marks of one outcome"), config = at_most(291_000))]
fn typed(mut warm: Box<Warm>) -> Box<Warm> {
    let Warm {
        engine,
        ask,
        answer,
    } = &mut *warm;
    Typed(engine).answer(black_box(ask), answer).unwrap();
    warm
}

#[library_benchmark(setup = warm_request)]
#[bench::one_learner(args = ("one learner by id"), config = at_most(13_600))]
fn request(mut warm: Box<Warm>) -> Box<Warm> {
    let Warm {
        engine,
        ask,
        answer,
    } = &mut *warm;
    Requests(engine).answer(black_box(ask), answer).unwrap();
    warm
}

/// A question that the peers do not answer. It was answered before.
struct WarmQuestion {
    engine: Engine,
    question: Box<dyn Question>,
    answer: Vec<u8>,
}

#[library_benchmark(setup = warm_question)]
#[bench::parents(args = (Box::new(PARENTS)), config = at_most(178_700))]
#[bench::discipline(args = (Box::new(may())), config = at_most(7_460))]
#[bench::lookup(args = (Box::new(LANGUAGES)), config = at_most(1_480))]
#[bench::staff(args = (Box::new(STAFF)), config = at_most(7_850))]
#[bench::grades(args = (Box::new(GRADES)), config = at_most(3_970))]
#[bench::school_info(args = (Box::new(SchoolInfo { school: 1000 })), config = at_most(33_100))]
fn administration(mut warm: Box<WarmQuestion>) -> Box<WarmQuestion> {
    let WarmQuestion {
        engine,
        question,
        answer,
    } = &mut *warm;
    engine
        .ask_into(&**black_box(question), None, answer)
        .unwrap();
    warm
}

const PARENTS: Parents = Parents {
    school: 1000,
    parent_id: None,
};

const STAFF: StaffMembers = StaffMembers {
    school: 1000,
    staff_member_id: None,
};

const GRADES: Grades = Grades {
    school: 1000,
    grade_id: None,
};

const LANGUAGES: Lookup = Lookup {
    list: LookupList::Language,
    id: None,
};

/// Returns discipline in the same month as the absentees.
fn may() -> Discipline {
    Discipline {
        school: 1000,
        from_date: "2026-05-01".parse().ok(),
        to_date: "2026-05-31".parse().ok(),
        ..Discipline::default()
    }
}

fn warm_question(question: Box<dyn Question>) -> Box<WarmQuestion> {
    let engine = Engine::open(STORE, Options::default()).unwrap();
    let mut answer = Vec::new();
    let status = engine.ask_into(&*question, None, &mut answer).unwrap();
    assert_eq!(status.code, 200);
    Box::new(WarmQuestion {
        engine,
        question,
        answer,
    })
}

/// A page that was answered before.
struct WarmPage {
    engine: Engine,
    ask: PageAsk,
    answer: Vec<u8>,
}

#[library_benchmark(setup = warm_page)]
#[bench::learners(args = ("learners"), config = at_most(62_300))]
#[bench::learners_with_parents(args = ("learners with parents"), config = at_most(192_000))]
#[bench::marks(args = ("marks of a grade"), config = at_most(75_000))]
#[bench::finance_learners(args = ("finance learners"), config = at_most(90_800))]
fn page(mut warm: Box<WarmPage>) -> Box<WarmPage> {
    let WarmPage {
        engine,
        ask,
        answer,
    } = &mut *warm;
    black_box(ask).typed(engine, answer).unwrap();
    warm
}

/// Returns the second page of a collection, whose request and answer both have a cursor.
fn warm_page(collection: &str) -> Box<WarmPage> {
    let engine = Engine::open(STORE, Options::default()).unwrap();
    let (_, walked) = WALKED.iter().find(|(name, _)| *name == collection).unwrap();
    let asks = pages::asks(&engine, &SampleSchool::default(), *walked).unwrap();
    let ask = asks.into_iter().nth(1).unwrap();
    let mut answer = Vec::new();
    ask.typed(&engine, &mut answer).unwrap();
    Box::new(WarmPage {
        engine,
        ask,
        answer,
    })
}

/// A dataset, and the engine that will load it.
struct Waiting {
    engine: Engine,
    dataset: String,
}

// A school of 100 learners: 28,000 records, four fifths of them marks.
#[library_benchmark(setup = waiting)]
#[bench::first(args = (false), config = at_most(305_600_000))]
#[bench::unchanged(args = (true), config = at_most(288_500_000))]
fn load(waiting: Box<Waiting>) -> Box<Waiting> {
    let Waiting { engine, dataset } = &*waiting;
    engine.apply(black_box(dataset.as_bytes())).unwrap();
    waiting
}

/// Returns the dataset, and a store in memory that is empty or already has the dataset.
fn waiting(is_there: bool) -> Box<Waiting> {
    let engine = Engine::memory(Options::default()).unwrap();
    let school = SampleSchool {
        learners: 100,
        ..SampleSchool::default()
    };
    let mut dataset = String::new();
    school.reader().read_to_string(&mut dataset).unwrap();
    // Hashing a password takes as long as the rest of the load, so the password is replaced by a cheap hash.
    let dataset = login::quick(&dataset);
    if is_there {
        engine.apply(dataset.as_bytes()).unwrap();
    }
    Box::new(Waiting { engine, dataset })
}

/// Returns the first ask of the question that has an answer.
fn warm_typed(question: &str) -> Box<Warm> {
    let school = SampleSchool::default();
    let engine = Engine::open(STORE, Options::default()).unwrap();
    let (_, things) = QUESTIONS
        .iter()
        .find(|(name, _)| *name == question)
        .unwrap();
    let mut answer = Vec::new();
    let mut found = |ask: &Ask| ask.typed(&engine, &mut answer).unwrap();
    let asks = things(&school.grade_ids()).into_iter();
    let mut asks = asks.map(|what| Ask::new(0, school.school_id, what));
    let ask = asks.find(|ask| found(ask)).unwrap();
    Box::new(Warm {
        engine,
        ask,
        answer,
    })
}

/// Returns the same ask, with the password already verified.
fn warm_request(question: &str) -> Box<Warm> {
    let mut warm = warm_typed(question);
    let Warm {
        engine,
        ask,
        answer,
    } = &mut *warm;
    Requests(engine).answer(ask, answer).unwrap();
    warm
}

/// Returns a configuration that fails above this number of instructions.
fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    let mut callgrind = Callgrind::default();
    callgrind.hard_limits([(EventKind::Ir, instructions)]);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(callgrind);
    // Valgrind counts `rep movsb` as one instruction per byte, which would make copying dominate
    // the count.
    config.env("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-ERMS");
    config
}

/// Loads the school from scratch, because the store may be of an older build.
fn prepare() {
    let _ = std::fs::remove_file(STORE);
    let engine = Engine::open(STORE, Options::default()).unwrap();
    engine.apply(SampleSchool::default().reader()).unwrap();
}

library_benchmark_group!(
    name = questions,
    benchmarks = [typed, administration, request, page]
);

library_benchmark_group!(name = loads, benchmarks = [load]);

main!(
    setup = prepare(),
    library_benchmark_groups = [questions, loads]
);
