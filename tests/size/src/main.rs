//! Calls everything that a browser app calls, so that nothing of it is left
//! out of the module that is weighed.

use rollbook::{
    Absentees, AssessmentMarks, Clients, Clock, Credentials, Engine, Entropy, LearnerSubjects,
    Learners, Options, Request, Result, Schools, SetState, SubjectMarks, SubjectsPerTerm,
};
use std::hint::black_box;

fn main() {
    let _ = black_box(everything(black_box(b"{}")));
}

fn everything(bytes: &[u8]) -> Result<()> {
    let options = Options {
        clock: Clock::Fixed(black_box(0)),
        entropy: Entropy::custom(|bytes| {
            bytes.fill(black_box(7));
            true
        }),
        ..Options::default()
    };
    let engine = Engine::memory(options)?;
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut load = engine.load();
    load.push(bytes)?;
    black_box(load.finish()?);
    let mut load = engine.load_school(black_box(1));
    load.push(bytes)?;
    black_box(load.finish()?);
    black_box(engine.check(bytes, 10)?);
    black_box(engine.remove_school(black_box(1))?);
    black_box(engine.erase_learner(black_box(1), black_box(1))?);
    for line in engine.export(Credentials::Keep)? {
        black_box(line?);
    }
    let request = Request {
        method: text,
        target: text,
        headers: &[(text, text)],
        body: bytes,
        now: None,
    };
    black_box(engine.request(&request));
    black_box(engine.ask(&Learners {
        name: Some(text),
        ..Learners::default()
    })?);
    black_box(engine.ask(&black_box(AssessmentMarks::default()))?);
    black_box(engine.ask(&black_box(SubjectsPerTerm::default()))?);
    black_box(engine.ask(&black_box(SubjectMarks::default()))?);
    black_box(engine.ask(&black_box(LearnerSubjects::default()))?);
    black_box(engine.ask(&black_box(Absentees::default()))?);
    black_box(engine.ask(&Schools {
        username: text,
        school: None,
    })?);
    black_box(engine.ask(&Clients {
        username: text,
        ..Clients::default()
    })?);
    black_box(engine.set_state(&SetState {
        username: text,
        ..SetState::default()
    })?);
    black_box(engine.verify()?);
    black_box(engine.stats()?);
    engine.compact()?;
    engine.close()
}
