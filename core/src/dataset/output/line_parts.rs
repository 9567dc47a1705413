//! The remaining parts of an export or a feed.

use super::marks_by_assessment::KeyedMark;
use crate::record::Kind;
use crate::record::storage::{Dated, Storage};
use crate::store::{Collection, Key, Partition};
use std::vec::IntoIter;

/// A part of the records to be written.
pub(crate) enum ExportPart {
    Integrators,
    Authorisations,
    /// All schools that have any records.
    Schools,
    School(u64),
    /// The records of a partition from this key on.
    Records(Kind, Partition, Key),
    /// Records of a school that are stored by date, written in the order of their ids. The key is
    /// that of the next entry in the collection of their dates.
    Dated(Kind, Dated, u64, Key),
    /// Assessments of a school in the order of their ids. The key is that of the next entry in the
    /// assessment index.
    Assessments(u64, Key),
    /// The marks of a school from this assessment and learner on.
    Marks(u64, Key),
    /// Marks of a school that were read and not written yet.
    Found(u64, IntoIter<KeyedMark>),
    /// The marks of a grade and year, or those that wait for their assessment, from this key on,
    /// in the order in which they are stored.
    StoredMarks(Partition, Key),
}

/// Returns the parts of a kind that are stored by school.
pub(crate) fn parts_of(kind: Kind, school: u64, partitions: &[Partition]) -> Vec<ExportPart> {
    match kind.storage() {
        Storage::Global(_) | Storage::Integrators | Storage::Authorisations => Vec::new(),
        Storage::Assessments => vec![ExportPart::Assessments(school, Key::MIN)],
        Storage::Marks => vec![ExportPart::Marks(school, Key::MIN)],
        Storage::Dated { at, .. } => vec![ExportPart::Dated(kind, at, school, Key::MIN)],
        Storage::BySchool(of) | Storage::ByGradeAndYear(of) => {
            records_in(partitions, kind, of).collect()
        }
        Storage::LearnerSubjects => {
            records_in(partitions, kind, Collection::LearnerSubjects).collect()
        }
    }
}

/// Returns the parts of the partitions of a school that belong to a collection.
fn records_in(
    partitions: &[Partition],
    kind: Kind,
    of: Collection,
) -> impl Iterator<Item = ExportPart> {
    let of = partitions.iter().filter(move |one| one.collection == of);
    of.map(move |one| records(kind, *one))
}

pub(crate) fn records(kind: Kind, partition: Partition) -> ExportPart {
    ExportPart::Records(kind, partition, Key::MIN)
}
