//! Tests that live queries return changed answers, and nothing else.

mod dependencies;

use super::LiveQuery;
use crate::dataset::replication::stored_coverage::{self, CoverageAddition};
use crate::query::endpoints::{Absentees, Clients, Grades, Parents};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::{Clock, Engine, Options, Result, SetState};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// 2026-05-14T21:59:58Z: two seconds before midnight at a school of +02:00.
const EVENING: i64 = 1_778_795_998;
const DAY: i64 = 86_400;

const SCHOOL: &str = r#"
{"type":"school","school_id":1,"current_year":2026,"school_name":"Hillside"}
{"type":"api_type","api_type_id":8,"family":"administration"}
{"type":"integrator","username":"demo","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1,"api_type_id":8,"state":1}
{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}
{"type":"term","school_id":1,"year":2026,"term":1,"term_id":98,"end_date":"2026-03-27"}
{"type":"learner","school_id":1,"id":7,"grade_id":9,"parent1_id":"40"}
{"type":"parent","school_id":1,"id":40}
{"type":"subject","school_id":1,"subject_id":101}
{"type":"learner_subject","school_id":1,"learner_id":7,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"mark":50}]}
{"type":"assessment","school_id":1,"assessment_id":501,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":31,"assessment_date":"2026-02-10","weight":1}
{"type":"mark","school_id":1,"assessment_id":501,"learner_id":7,"mark":5}
{"type":"absentee","school_id":1,"id":5,"learner_id":7,"absent_date":"2026-04-14"}
"#;

/// Returns a school in the evening, and the time of its clock.
fn evening() -> Result<(Engine, Arc<AtomicI64>)> {
    let time = Arc::new(AtomicI64::new(EVENING));
    let now = time.clone();
    let engine = Engine::memory(Options {
        clock: Clock::custom(move || now.load(Ordering::Relaxed)),
        ..Options::default()
    })?;
    engine.apply(SCHOOL.as_bytes())?;
    Ok((engine, time))
}

fn grades(school: u64) -> Grades {
    Grades {
        school,
        grade_id: None,
    }
}

fn absences() -> Absentees {
    Absentees {
        school: 1,
        ..Absentees::default()
    }
}

fn grade(name: &str) -> String {
    format!(r#"{{"type":"grade","school_id":1,"grade_id":9,"grade":"{name}"}}"#)
}

/// Returns the text of an answer, or the code of an error.
fn poll_text(live_query: &mut LiveQuery) -> Option<String> {
    live_query.poll().map(|result| match result {
        Ok(answer) => format!("{} {}", answer.status.code, answer.text()),
        Err(error) => error.code().to_owned(),
    })
}

#[test]
fn changes_are_coalesced_and_no_answer_is_returned_twice() -> Result<()> {
    let (engine, _) = evening()?;
    let mut names = engine.observe(grades(1));
    assert_eq!(
        poll_text(&mut names).as_deref(),
        Some(r#"200 [{"id":"9","name":"Grade 7"}]"#)
    );
    assert_eq!(poll_text(&mut names), None);
    for name in ["8", "10", "11"] {
        engine.apply(grade(name).as_bytes())?;
    }
    assert_eq!(
        poll_text(&mut names).as_deref(),
        Some(r#"200 [{"id":"9","name":"Grade 11"}]"#)
    );
    // The value changes and changes back between two polls.
    engine.apply(grade("8").as_bytes())?;
    engine.apply(grade("11").as_bytes())?;
    assert_eq!(poll_text(&mut names), None);
    // The same bytes with another status are a different answer.
    engine.remove_school(1)?;
    assert!(poll_text(&mut names).is_some_and(|text| text.starts_with("404 ")));
    Ok(())
}

#[test]
fn the_question_is_repeated_when_another_day_begins() -> Result<()> {
    let (engine, time) = evening()?;
    let mut month = engine.observe(absences());
    let mut names = engine.observe(grades(1));
    assert!(poll_text(&mut names).is_some() && names.next_look().is_none());
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("200 ")));
    assert_eq!(month.next_look(), Some(EVENING + 2));
    time.fetch_add(1, Ordering::Relaxed);
    assert_eq!(poll_text(&mut month), None);
    time.fetch_add(1, Ordering::Relaxed);
    // The absence on 14 April is now more than a month ago.
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("404 ")));
    assert_eq!(month.next_look(), Some(EVENING + 2 + DAY));
    // The clock is set back.
    time.fetch_sub(1, Ordering::Relaxed);
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("200 ")));
    // Midnight is that of the school.
    let east = r#"{"type":"school","school_id":1,"current_year":2026,"utc_offset":"+03:00"}"#;
    engine.apply(east.as_bytes())?;
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("404 ")));
    assert_eq!(month.next_look(), Some(EVENING + 2 - 3600 + DAY));
    assert_eq!(poll_text(&mut names), None);
    Ok(())
}

#[test]
fn with_a_fixed_clock_there_is_no_next_look() -> Result<()> {
    let engine = Engine::memory(Options {
        clock: Clock::Fixed(EVENING),
        ..Options::default()
    })?;
    let mut month = engine.observe(absences());
    assert!(month.poll().is_some() && month.next_look().is_none());
    Ok(())
}

#[test]
fn it_ends_with_the_engine_and_does_not_own_it() -> Result<()> {
    let (engine, _) = evening()?;
    let mut closed = engine.observe(grades(1));
    assert!(closed.poll().is_some());
    engine.close()?;
    assert!(closed.is_over() && closed.poll().is_none());
    let mut late = engine.observe(grades(1));
    assert!(late.is_over() && late.next().is_none());

    let (engine, _) = evening()?;
    let mut dropped = engine.observe(grades(1));
    // The load uses the store after the engine is dropped.
    let load = engine.load();
    let (sender, receiver) = mpsc::channel();
    dropped.on_change(move || {
        let _ = sender.send(());
    })?;
    assert!(dropped.poll().is_some());
    let store = Arc::downgrade(&engine.store);
    drop(engine);
    assert!(receiver.recv_timeout(Duration::from_secs(60)).is_ok());
    assert!(dropped.is_over() && dropped.poll().is_none());
    drop(load);
    assert_eq!(store.strong_count(), 0);
    Ok(())
}

#[test]
fn it_waits_while_the_engine_is_suspended() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("rollbook-observe-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("store.redb");
    let time = Arc::new(AtomicI64::new(EVENING));
    let now = time.clone();
    let engine = Engine::open(
        &path,
        Options {
            clock: Clock::custom(move || now.load(Ordering::Relaxed)),
            ..Options::default()
        },
    )?;
    engine.apply(SCHOOL.as_bytes())?;
    let mut names = engine.observe(grades(1));
    let mut month = engine.observe(absences());
    assert!(names.poll().is_some() && month.poll().is_some());
    engine.suspend()?;
    time.fetch_add(DAY, Ordering::Relaxed);
    assert!(names.poll().is_none() && month.poll().is_none());
    assert!(!month.is_over() && month.next_look().is_none());
    // Another engine changes the file meanwhile.
    let other = Engine::open(&path, Options::default())?;
    other.apply(grade("8").as_bytes())?;
    other.close()?;
    engine.resume()?;
    assert!(poll_text(&mut names).is_some_and(|text| text.contains("Grade 8")));
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("404 ")));
    drop(engine);
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// Missing coverage is returned as an error once, and the answer follows when the data was fetched.
#[test]
fn errors_are_returned_once_and_the_live_query_continues() -> Result<()> {
    let (engine, _) = evening()?;
    let mut names = engine.observe(grades(1));
    assert!(poll_text(&mut names).is_some_and(|text| text.starts_with("200 ")));
    let cover = |kind| {
        let addition = CoverageAddition::Whole(CoverageKey::new(kind));
        engine
            .store
            .write(|write| stored_coverage::add_coverage(write, 1, &[addition], EVENING))
    };
    cover(CoverageKind::Staff)?;
    assert_eq!(poll_text(&mut names).as_deref(), Some("not_synced"));
    cover(CoverageKind::Genders)?;
    assert_eq!(poll_text(&mut names), None);
    cover(CoverageKind::Grades)?;
    assert!(poll_text(&mut names).is_some_and(|text| text.starts_with("200 ")));
    let mut parents = engine.observe(Parents {
        school: 1,
        parent_id: None,
    });
    assert_eq!(poll_text(&mut parents).as_deref(), Some("not_synced"));
    engine.forget_sync(1)?;
    assert!(poll_text(&mut parents).is_some_and(|text| text.starts_with("200 ")));
    assert_eq!(poll_text(&mut names), None);
    Ok(())
}

#[test]
fn a_state_update_changes_the_answer() -> Result<()> {
    let (engine, _) = evening()?;
    let mut clients = engine.observe(Clients {
        username: "demo",
        ..Clients::default()
    });
    assert!(poll_text(&mut clients).is_some_and(|text| text.contains(r#"integrator":"Yes""#)));
    engine.set_state(&SetState {
        username: "demo",
        school: 1,
        api_type_id: 8,
        state: false,
    })?;
    assert!(poll_text(&mut clients).is_some_and(|text| text.contains(r#"integrator":"No""#)));
    Ok(())
}

/// A waiting thread is woken by a change, at midnight and at the end.
#[test]
fn a_thread_waits_for_the_next_answer() -> Result<()> {
    let (engine, time) = evening()?;
    let mut month = engine.observe(absences());
    let (sender, answers) = mpsc::channel();
    let waiting = std::thread::spawn(move || {
        for answer in &mut month {
            drop(sender.send(answer.map(|answer| answer.status.code)));
        }
        month.is_over()
    });
    let next = || answers.recv_timeout(Duration::from_secs(60));
    assert_eq!(next(), Ok(Ok(200)));
    let line =
        r#"{"type":"absentee","school_id":1,"id":5,"learner_id":7,"absent_date":"2026-05-01"}"#;
    engine.apply(line.as_bytes())?;
    assert_eq!(next(), Ok(Ok(200)));
    time.fetch_add(60 * DAY, Ordering::Relaxed);
    assert_eq!(next(), Ok(Ok(404)));
    engine.close()?;
    assert_eq!(waiting.join().ok(), Some(true));
    Ok(())
}

/// A callback is called after a change and at midnight. A panic in it does not affect others, and
/// the thread ends with the last waiter.
#[test]
fn listeners_are_called_by_one_thread_that_ends() -> Result<()> {
    let (engine, time) = evening()?;
    let mut failing = engine.observe(grades(1));
    failing.on_change(|| std::panic::resume_unwind(Box::new(())))?;
    let mut month = engine.observe(absences());
    let (sender, calls) = mpsc::channel();
    month.on_change(move || {
        let _ = sender.send(std::thread::current().id());
    })?;
    assert!(failing.poll().is_some() && month.poll().is_some());
    let called = || calls.recv_timeout(Duration::from_secs(60)).ok();
    engine.apply(grade("8").as_bytes())?;
    engine.apply(
        SCHOOL
            .replace("Hillside", "Other")
            .replace(r#""7""#, r#""8""#)
            .as_bytes(),
    )?;
    let thread = called();
    assert!(thread.is_some_and(|thread| thread != std::thread::current().id()));
    // The answer is the same, so the live query waits for midnight again.
    assert!(month.poll().is_none());
    time.fetch_add(2, Ordering::Relaxed);
    assert_eq!(called(), thread);
    assert!(month.poll().is_some() && failing.poll().is_some());
    drop((month, failing));
    assert!(calls.recv().is_err());
    while Arc::strong_count(&engine.timer_thread) > 1 {
        std::thread::yield_now();
    }
    Ok(())
}

/// A callback is called if the clock is set back to before the range in which the answer is valid.
#[test]
fn a_listener_is_called_if_the_clock_is_set_back() -> Result<()> {
    let (engine, time) = evening()?;
    // One second before the end of the next day, so that the thread soon reads the clock.
    time.store(EVENING + DAY + 1, Ordering::Relaxed);
    let mut month = engine.observe(absences());
    let (sender, calls) = mpsc::channel();
    month.on_change(move || {
        let _ = sender.send(());
    })?;
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("404 ")));
    time.fetch_sub(DAY, Ordering::Relaxed);
    assert_eq!(calls.recv_timeout(Duration::from_secs(60)), Ok(()));
    assert!(poll_text(&mut month).is_some_and(|text| text.starts_with("200 ")));
    Ok(())
}

/// A waiting task is woken by a change, at midnight and at the end.
#[test]
fn a_task_waits_for_the_next_answer() -> Result<()> {
    use futures_core::Stream;
    use std::pin::Pin;
    use std::task::{Context, Poll, Wake, Waker};

    struct Woken(mpsc::Sender<()>);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            let _ = self.0.send(());
        }
    }

    let (engine, time) = evening()?;
    let mut month = engine.observe(absences()).stream();
    let (sender, wakes) = mpsc::channel();
    let waker = Waker::from(Arc::new(Woken(sender)));
    let mut next = || {
        let result = Pin::new(&mut month).poll_next(&mut Context::from_waker(&waker));
        result.map(|result| result.map(|result| result.map(|answer| answer.status.code)))
    };
    let is_woken = || wakes.recv_timeout(Duration::from_secs(60)).is_ok();
    assert_eq!(next(), Poll::Ready(Some(Ok(200))));
    assert_eq!(next(), Poll::Pending);
    let line =
        r#"{"type":"absentee","school_id":1,"id":5,"learner_id":8,"absent_date":"2026-04-14"}"#;
    engine.apply(line.as_bytes())?;
    assert!(is_woken());
    assert_eq!(next(), Poll::Ready(Some(Ok(200))));
    assert_eq!(next(), Poll::Pending);
    time.fetch_add(2, Ordering::Relaxed);
    assert!(is_woken());
    assert_eq!(next(), Poll::Ready(Some(Ok(404))));
    assert_eq!(next(), Poll::Pending);
    engine.close()?;
    assert!(is_woken());
    assert_eq!(next(), Poll::Ready(None));
    Ok(())
}
