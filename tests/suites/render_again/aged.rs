//! Stores that another version rendered, made behind the engine's back.

use rollbook::{
    Absentees, Answer, AssessmentMarks, Engine, LearnerSubjects, Learners, Result, Schools,
    SubjectMarks,
};
use rollbook_tests::sample::USERNAME;
use rollbook_tests::storage::asked::{answers, export};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school};
use rollbook_tests::storage::tables::{BLOCKS, META, rows, with_rows};

/// A school that has no record.
pub(crate) const UNKNOWN: u64 = 4040;

/// The collection in which all schools' own records lie.
pub(crate) const SCHOOLS: u8 = 1;

/// A store's file with two schools, rendered by this version, and what it
/// answers.
pub(crate) struct Fresh {
    pub(crate) file: Vec<u8>,
    /// The version by which it is rendered.
    pub(crate) version: u32,
    pub(crate) export: String,
    pub(crate) answers: Vec<Answer>,
    pub(crate) typed: Vec<Answer>,
}

impl Fresh {
    pub(crate) fn new(learners: u32) -> Fresh {
        let disk = Disk::default();
        let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
        for (id, learners) in [(SCHOOL, learners), (OTHER, learners / 2)] {
            engine.apply(school(id, learners).as_bytes()).unwrap();
        }
        let fresh = Fresh {
            version: 0,
            export: export(&engine).unwrap(),
            answers: all_answers(&engine),
            typed: typed(&engine).unwrap(),
            file: Vec::new(),
        };
        engine.close().unwrap();
        let file = disk.bytes();
        Fresh {
            version: Meta::parse(&file).rendered,
            file,
            ..fresh
        }
    }

    /// The file as an engine of another version would have left it.
    pub(crate) fn aged(&self, version: u32) -> Aged {
        let (file, renderings) = rendered_otherwise(&self.file, &[SCHOOL, OTHER]);
        let file = with_number(file, b"rendered", version);
        assert!(renderings > 500);
        Aged { file, renderings }
    }

    /// Nothing is left of the other version, and nothing else has changed.
    pub(crate) fn is_all_there_is(&self, engine: &Engine, what: &str) {
        assert!(all_answers(engine) == self.answers, "{what}: other answers");
        assert!(
            typed(engine).unwrap() == self.typed,
            "{what}: other answers"
        );
        assert!(
            export(engine).unwrap() == self.export,
            "{what}: other export"
        );
        is_sound(engine, what);
    }
}

pub(crate) struct Aged {
    pub(crate) file: Vec<u8>,
    /// How many records are rendered otherwise.
    pub(crate) renderings: usize,
}

pub(crate) fn all_answers(engine: &Engine) -> Vec<Answer> {
    [answers(engine, SCHOOL), answers(engine, OTHER)].concat()
}

pub(crate) fn is_sound(engine: &Engine, what: &str) {
    let verified = engine.verify().unwrap();
    let problems = &verified.problems[..verified.problems.len().min(3)];
    assert!(verified.is_sound(), "{what}: {problems:?}");
}

/// What the schools are asked without credentials, whose hashing takes time.
pub(crate) fn typed(engine: &Engine) -> Result<Vec<Answer>> {
    let mut all = Vec::new();
    for school in [SCHOOL, OTHER] {
        all.extend(typed_of(engine, school)?);
    }
    let schools = Schools {
        username: USERNAME,
        school: None,
    };
    all.push(engine.ask(&schools)?);
    Ok(all)
}

pub(crate) fn typed_of(engine: &Engine, school: u64) -> Result<Vec<Answer>> {
    let learners = Learners {
        school,
        include_parents: true,
        ..Learners::default()
    };
    let marks = AssessmentMarks {
        school,
        learner_id: Some(7),
        ..AssessmentMarks::default()
    };
    let subject_marks = SubjectMarks {
        school,
        learner_id: 7,
    };
    let subjects = LearnerSubjects {
        school,
        ..LearnerSubjects::default()
    };
    let absentees = Absentees {
        school,
        ..Absentees::default()
    };
    let own = Schools {
        username: USERNAME,
        school: Some(school),
    };
    Ok(vec![
        engine.ask(&learners)?,
        engine.ask(&marks)?,
        engine.ask(&subject_marks)?,
        engine.ask(&subjects)?,
        engine.ask(&absentees)?,
        engine.ask(&own)?,
    ])
}

/// What a store says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) rendered: u32,
    /// The versions of the first school and of the second.
    pub(crate) own: [Option<u32>; 2],
    pub(crate) sequence: u32,
    pub(crate) rows: usize,
}

impl Meta {
    pub(crate) fn parse(file: &[u8]) -> Meta {
        let rows = rows(file.to_vec(), META);
        let number = |key: &[u8]| {
            let (_, value) = rows.iter().find(|(found, _)| found == key)?;
            Some(u32::from_le_bytes(*value.first_chunk().unwrap()))
        };
        Meta {
            rendered: number(b"rendered").unwrap(),
            own: [SCHOOL, OTHER].map(|school| number(&own_key(school))),
            sequence: number(b"sequence").unwrap(),
            rows: rows.len(),
        }
    }

    /// The versions by which the records of both schools are rendered.
    pub(crate) fn versions(&self) -> [u32; 2] {
        self.own.map(|own| own.unwrap_or(self.rendered))
    }
}

/// The key of a school's own version.
pub(crate) fn own_key(school: u64) -> Vec<u8> {
    [b"rendered-".as_slice(), &school.to_be_bytes()].concat()
}

pub(crate) fn with_number(file: Vec<u8>, key: &[u8], number: u32) -> Vec<u8> {
    let row = (key.to_vec(), number.to_le_bytes().to_vec());
    with_rows(file, META, &[row])
}

/// A rendering: where it lies, and where its members lie.
pub(crate) struct Rendering {
    pub(crate) end: usize,
    pub(crate) members: Vec<std::ops::Range<usize>>,
}

/// The end of a string that starts here, its quotes included.
pub(crate) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The object of strings that starts here, if one does.
pub(crate) fn rendering_at(bytes: &[u8], start: usize) -> Option<Rendering> {
    let mut members = Vec::new();
    let mut at = start;
    loop {
        let member = at + 1;
        let value = string_end(bytes, member)? + 1;
        if bytes.get(value - 1) != Some(&b':') {
            return None;
        }
        at = string_end(bytes, value)?;
        members.push(member..at);
        match bytes.get(at)? {
            b',' => {}
            b'}' => {
                let end = at + 1;
                return Some(Rendering { end, members });
            }
            _ => return None,
        }
    }
}

/// The bytes with the members of every rendering in reverse, which says the
/// same and takes as many bytes; and how many renderings there were.
pub(crate) fn reversed(bytes: &[u8], is_meant: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
    let (mut out, mut at, mut count) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let found = rendering_at(bytes, at)
            .filter(|_| bytes[at] == b'{')
            .filter(|found| is_meant(&bytes[at..found.end]));
        let Some(Rendering { end, mut members }) = found else {
            out.push(bytes[at]);
            at += 1;
            continue;
        };
        count += usize::from(members.len() > 1);
        members.reverse();
        let members: Vec<_> = members.into_iter().map(|member| &bytes[member]).collect();
        out.push(b'{');
        out.extend(members.join(&b','));
        out.push(b'}');
        at = end;
    }
    (out, count)
}

/// The file with the records of some schools rendered by another version;
/// and how many records these are.
pub(crate) fn rendered_otherwise(file: &[u8], schools: &[u64]) -> (Vec<u8>, usize) {
    let mut count = 0;
    let mut changed = Vec::new();
    for (key, run) in rows(file.to_vec(), BLOCKS) {
        let school = u64::from_be_bytes(*key.first_chunk().unwrap());
        let (run, renderings) = if key[8] == SCHOOLS {
            let own = |id: &u64| format!("\"school_id\":\"{id}\"").into_bytes();
            let own: Vec<_> = schools.iter().map(own).collect();
            reversed(&run, |rendering| {
                let mut own = own.iter();
                own.any(|own| rendering.windows(own.len()).any(|part| part == own))
            })
        } else if schools.contains(&school) {
            reversed(&run, |_| true)
        } else {
            (run, 0)
        };
        count += renderings;
        changed.push((key, run));
    }
    (with_rows(file.to_vec(), BLOCKS, &changed), count)
}

/// Which of these files' runs differ, by the school in their keys.
pub(crate) fn other_runs(one: &[u8], other: &[u8]) -> Vec<u64> {
    let (one, other) = (rows(one.to_vec(), BLOCKS), rows(other.to_vec(), BLOCKS));
    assert_eq!(one.len(), other.len());
    let differ = one.iter().zip(&other).filter(|(one, other)| one != other);
    differ
        .map(|((key, _), _)| u64::from_be_bytes(*key.first_chunk().unwrap()))
        .collect()
}
