//! Makes stores as an older version would have rendered them, by changing the file directly.

use rollbook::{
    Absentees, Answer, AssessmentMarks, Engine, LearnerSubjects, Learners, Result, Schools,
    SubjectMarks,
};
use rollbook_tests::sample::USERNAME;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::requests::{answers, export};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school};
use rollbook_tests::storage::tables::{BLOCKS, META, rows, with_rows};

/// A school without records.
pub(crate) const UNKNOWN: u64 = 4040;

/// The collection that contains the school records of all schools.
pub(crate) const SCHOOLS: u8 = 1;

/// The file of a store with two schools that this version has rendered, and its answers.
pub(crate) struct Fresh {
    pub(crate) file: Vec<u8>,
    /// The current render version.
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

    /// Returns the file as an engine of another version would have left it.
    pub(crate) fn aged(&self, version: u32) -> Aged {
        let (file, renderings) = rendered_otherwise(&self.file, &[SCHOOL, OTHER]);
        let file = with_number(file, b"rendered", version);
        assert!(renderings > 500);
        Aged { file, renderings }
    }

    /// Checks that no old rendering remains and that nothing else has changed.
    pub(crate) fn check(&self, engine: &Engine, what: &str) {
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
    /// The number of records with another rendering.
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

/// Asks about the schools without credentials, because hashing takes time.
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

/// The metadata of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) rendered: u32,
    /// The separate versions of the first school and of the second.
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

    /// Returns the versions with which the records of both schools are rendered.
    pub(crate) fn versions(&self) -> [u32; 2] {
        self.own.map(|own| own.unwrap_or(self.rendered))
    }
}

/// Returns the key of the separate version of a school.
pub(crate) fn own_key(school: u64) -> Vec<u8> {
    [b"rendered-".as_slice(), &school.to_be_bytes()].concat()
}

pub(crate) fn with_number(file: Vec<u8>, key: &[u8], number: u32) -> Vec<u8> {
    let row = (key.to_vec(), number.to_le_bytes().to_vec());
    with_rows(file, META, &[row])
}

/// The end of a rendered object, and the positions of its members.
pub(crate) struct Rendering {
    pub(crate) end: usize,
    pub(crate) members: Vec<std::ops::Range<usize>>,
}

/// Returns the end of the string that starts here, including its quotes.
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

/// Returns the object of strings that starts here, if there is one.
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

/// Reverses the members of every rendered object, which changes neither its meaning nor its length.
/// Returns the bytes and the number of objects.
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

/// Returns the file with the records of some schools rendered by another version, and their number.
pub(crate) fn rendered_otherwise(file: &[u8], schools: &[u64]) -> (Vec<u8>, usize) {
    let mut count = 0;
    let mut changed = Vec::new();
    for (key, block) in rows(file.to_vec(), BLOCKS) {
        let school = u64::from_be_bytes(*key.first_chunk().unwrap());
        let (block, renderings) = if key[8] == SCHOOLS {
            let own = |id: &u64| format!("\"school_id\":\"{id}\"").into_bytes();
            let own: Vec<_> = schools.iter().map(own).collect();
            reversed(&block, |rendering| {
                let mut own = own.iter();
                own.any(|own| rendering.windows(own.len()).any(|part| part == own))
            })
        } else if schools.contains(&school) {
            reversed(&block, |_| true)
        } else {
            (block, 0)
        };
        count += renderings;
        changed.push((key, block));
    }
    (with_rows(file.to_vec(), BLOCKS, &changed), count)
}

/// Returns the schools whose blocks differ between two files.
pub(crate) fn differing_blocks(one: &[u8], other: &[u8]) -> Vec<u64> {
    let (one, other) = (rows(one.to_vec(), BLOCKS), rows(other.to_vec(), BLOCKS));
    assert_eq!(one.len(), other.len());
    let differ = one.iter().zip(&other).filter(|(one, other)| one != other);
    differ
        .map(|((key, _), _)| u64::from_be_bytes(*key.first_chunk().unwrap()))
        .collect()
}
