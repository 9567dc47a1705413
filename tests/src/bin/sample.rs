//! Writes the dataset of a sample school: `sample LEARNERS FILE`.
#![allow(clippy::unwrap_used)]

use rollbook_tests::sample::SampleSchool;
use std::fs::File;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let learners = arguments.next().unwrap().parse().unwrap();
    let path = arguments.next().unwrap();
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    std::io::copy(&mut school.reader(), &mut File::create(path).unwrap()).unwrap();
}
