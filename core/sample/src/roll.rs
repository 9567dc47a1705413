//! The learners of a school, with the properties that enrolments, marks and absences depend on.
//!
//! This is the only data that is stored in memory for a whole school: 16 bytes per learner.

use crate::SampleSchool;
use crate::curriculum::Package;
use crate::families::{self, Siblings};
use crate::topics::{self, Topic, TopicRandom};

/// The number of learners in a register class.
const CLASS_SIZE: u32 = 30;

/// The status of a learner.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Attendance {
    Current,
    Left,
    Waitlist,
}

/// The properties of a learner that other records depend on.
#[derive(Clone, Copy)]
pub(crate) struct Pupil {
    /// The learner's id.
    pub(crate) id: u64,
    /// The number of the class within the grade, from 0.
    pub(crate) class: u16,
    /// The index of the grade among the school's grades.
    pub(crate) grade: u8,
    /// The average score of the learner, in per cent.
    pub(crate) ability: u8,
    /// Whether the learner is taught in Afrikaans rather than English.
    pub(crate) afrikaans: bool,
    pub(crate) package: Package,
    pub(crate) attendance: Attendance,
}

/// The learners of the school in the order of their ids, and the number of classes per grade.
pub(crate) struct Roll {
    pub(crate) pupils: Vec<Pupil>,
    pub(crate) classes: u16,
}

impl Roll {
    pub(crate) fn new(school: &SampleSchool, grades: usize) -> Self {
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

/// Adds siblings, who are taught in the same language and are never in the same grade.
fn enrol(
    school: &SampleSchool,
    siblings: Siblings,
    grades: u32,
    classes: u16,
    pupils: &mut Vec<Pupil>,
) {
    let mut random = TopicRandom::for_topic(school.seed, Topic::Siblings, siblings.family);
    let eldest = topics::spread(siblings.family, grades);
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
