//! Who sits where: what enrolments, marks and absences must know of every learner.
//!
//! The only thing that is kept for a whole school, 16 bytes a learner.

use super::SampleSchool;
use super::curriculum::Package;
use super::families::{self, Siblings};
use super::random::{self, Random, Topic};

/// Learners that share a register class.
const CLASS_SIZE: u32 = 30;

/// Whether a learner attends the school.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Attendance {
    Current,
    Left,
    Waitlist,
}

/// A learner as a teacher's list has one.
#[derive(Clone, Copy)]
pub(super) struct Pupil {
    /// The learner's id.
    pub(super) id: u64,
    /// The class within the grade, from 0.
    pub(super) class: u16,
    /// The place of the grade among the school's grades.
    pub(super) grade: u8,
    /// What the learner tends to score, in per cent.
    pub(super) ability: u8,
    /// Whether taught in Afrikaans rather than English.
    pub(super) afrikaans: bool,
    pub(super) package: Package,
    pub(super) attendance: Attendance,
}

/// The learners of the school by id, and their classes a grade.
pub(super) struct Roll {
    pub(super) pupils: Vec<Pupil>,
    pub(super) classes: u16,
}

impl Roll {
    pub(super) fn new(school: &SampleSchool, grades: usize) -> Self {
        let grades = u32::try_from(grades).unwrap();
        let classes = (school.learners / grades).div_ceil(CLASS_SIZE).max(1);
        let classes = u16::try_from(classes).unwrap_or(u16::MAX);
        let mut pupils = Vec::with_capacity(school.learners as usize);
        for block in 0..families::blocks(school) {
            for siblings in families::in_block(school, block) {
                enrol(school, siblings, grades, classes, &mut pupils);
            }
        }
        Self { pupils, classes }
    }
}

/// Siblings share the language that they are taught in, and never a grade.
fn enrol(
    school: &SampleSchool,
    siblings: Siblings,
    grades: u32,
    classes: u16,
    pupils: &mut Vec<Pupil>,
) {
    let mut random = Random::for_topic(school.seed, Topic::Siblings, siblings.family);
    let eldest = random::spread(siblings.family, grades);
    let share = if siblings.speaks_afrikaans(school) {
        85
    } else {
        5
    };
    let afrikaans = random.chance(share);
    for (place, id) in (0..).zip(siblings.learners) {
        let apart = 2 * place;
        pupils.push(Pupil {
            id,
            class: u16::try_from(random.below(u32::from(classes))).unwrap(),
            grade: u8::try_from((eldest + grades - apart % grades) % grades).unwrap(),
            ability: u8::try_from(random.between(20, 60) + random.below(36)).unwrap(),
            afrikaans,
            package: random.pick(&[Package::Sciences, Package::Commerce, Package::Humanities]),
            attendance: match random.below(100) {
                0..5 => Attendance::Left,
                5..8 => Attendance::Waitlist,
                _ => Attendance::Current,
            },
        });
    }
}
