//! Applies bytes as a feed, and requests feeds with bytes as the position.

use crate::feeds::Seal;
use crate::storage::scenario::options;
use rollbook::{Credentials, Engine, Error, Scope};
use std::cell::RefCell;

/// The dataset of the source.
const SOURCE: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"school","school_id":2,"current_year":2026}
{"type":"gender","id":1,"name":"A"}
{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}
{"type":"parent","school_id":1,"id":5,"first_name":"Zoe"}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna","parent1_id":5}
{"type":"learner","school_id":1,"id":8,"first_name":"Ben"}
{"type":"absentee","school_id":1,"id":3,"learner_id":7,"absent_date":"2026-05-04"}
{"type":"assessment","school_id":1,"assessment_id":4,"grade_id":9,"year":2026,"term":1,"subject_id":3,"learning_outcome_id":5,"assessment_date":"2026-02-03","weight":"1"}
{"type":"mark","school_id":1,"assessment_id":4,"learner_id":7,"mark":"5"}
{"type":"learner","school_id":2,"id":7,"first_name":"Cem"}
"#;

const CHANGES: [&str; 2] = [
    r#"{"type":"learner","school_id":1,"id":7,"first_name":"Anne","parent1_id":5}"#,
    r#"{"type":"absentee","school_id":1,"id":3,"deleted":true}"#,
];

/// A record of a school that belongs to the follower itself.
const OWN: &str = r#"{"type":"learner","school_id":77,"id":1,"first_name":"Own"}"#;

fn scopes() -> [Scope; 4] {
    [
        Scope::default().school(1),
        Scope::default().learners(1, [7]).school(2),
        Scope::default().learners(1, [7, 8]),
        Scope::default(),
    ]
}

fn source() -> Engine {
    let source = Engine::memory(options()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    source
}

/// Returns a follower, which has applied a feed if `has_followed` is true.
fn follower(has_followed: bool) -> Engine {
    let follower = Engine::memory(options()).unwrap();
    follower.apply(OWN.as_bytes()).unwrap();
    if has_followed {
        let [_, scope, ..] = scopes();
        let lines: Vec<String> = lines(&source(), &scope, None);
        let mut follow = follower.follow();
        follow.push(lines.concat().as_bytes()).unwrap();
        follow.finish().unwrap();
    }
    follower
}

fn lines(source: &Engine, scope: &Scope, after: Option<&str>) -> Vec<String> {
    let feed = source.feed(scope, after).unwrap();
    feed.map(|line| line.unwrap() + "\n").collect()
}

thread_local! {
    /// Unchanged followers, without and with an applied feed.
    static FOLLOWERS: RefCell<[Option<Engine>; 2]> = const { RefCell::new([None, None]) };
    static SOURCES: Engine = source();
}

/// Applies the bytes as a feed, or requests the feed after the position that they are. The first
/// byte selects which. Returns the code of the error, or `ok`. The error must be one of those that
/// are documented, the store must be sound, and the follower's own records must be unchanged.
pub fn feed(bytes: &[u8]) -> &'static str {
    let (kind, bytes) = bytes
        .split_first()
        .map_or((0, bytes), |(kind, rest)| (*kind, rest));
    if kind % 4 == 3 {
        return position(bytes);
    }
    let place = usize::from(kind % 2);
    let mut taken = FOLLOWERS.with_borrow_mut(|followers| followers[place].take());
    let engine = taken.get_or_insert_with(|| follower(place == 1));
    let before = engine.followed().unwrap();
    let outcome = push(engine, bytes, usize::from(kind) + 1);
    let code = outcome.map_or_else(|error| error.code(), |()| "ok");
    assert!(
        matches!(code, "ok" | "bad_dataset" | "out_of_sync" | "diverged"),
        "{code}"
    );
    if engine.followed().unwrap() != before {
        let found = engine.verify().unwrap();
        assert!(found.is_sound(), "{:?}", found.problems);
        let mut lines = engine.export(Credentials::LeaveOut).unwrap();
        assert!(lines.any(|line| line.unwrap() == OWN));
        return code;
    }
    FOLLOWERS.with_borrow_mut(|followers| followers[place] = taken);
    code
}

/// Pushes the lines in pieces of this size, with the count and the digest of each part corrected.
fn push(engine: &Engine, bytes: &[u8], piece: usize) -> Result<(), Error> {
    let mut follow = engine.follow();
    let mut seal = Seal::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let position = engine.followed().unwrap();
        let mut whole = seal.line(bare, Some(position.as_deref()));
        whole.extend_from_slice(&line[bare.len()..]);
        for piece in whole.chunks(piece) {
            follow.push(piece)?;
        }
    }
    follow.finish().map(drop)
}

fn position(bytes: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(bytes);
    let mut code = "ok";
    for scope in scopes() {
        let asked = SOURCES.with(|source| {
            let mut feed = source.feed(&scope, Some(&text))?;
            feed.try_for_each(|line| line.map(drop))
        });
        code = asked.map_or_else(|error| error.code(), |()| "ok");
    }
    assert!(matches!(code, "ok" | "resync_required"), "{code}");
    code
}

/// Returns feeds and positions as seeds of a fuzzer.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut seed = |kind: u8, text: &str| seeds.push([&[kind], text.as_bytes()].concat());
    for (scope, other) in scopes()
        .into_iter()
        .zip(scopes().iter().skip(1).chain(&scopes()[..1]))
    {
        let source = source();
        seed(0, &lines(&source, &scope, None).concat());
        let device = Engine::memory(options()).unwrap();
        for change in CHANGES {
            let after = device.followed().unwrap();
            let mut follow = device.follow();
            let lines = lines(&source, &scope, after.as_deref());
            follow.push(lines.concat().as_bytes()).unwrap();
            follow.finish().unwrap();
            source.apply(change.as_bytes()).unwrap();
        }
        let after = device.followed().unwrap();
        seed(1, &lines(&source, &scope, after.as_deref()).concat());
        seed(1, &lines(&source, other, after.as_deref()).concat());
        seed(3, &after.unwrap());
    }
    let seen = r#"{"type":"seen","school_id":1,"units":[[2,0,0,0,1778745600,0],[20,0,20100,0,1778745600,20200]]}"#;
    let whole = lines(&source(), &scopes()[0], None).concat();
    seed(
        0,
        &whole.replace(r#"{"type":"complete","school_id":1}"#, seen),
    );
    let many = (0..3000).fold(Scope::default(), |scope, school| {
        scope.learners(school, [1])
    });
    let position = source().feed(&many, None).unwrap().position();
    seed(3, &position);
    seed(3, &position[..position.len() / 2]);
    seeds
}
