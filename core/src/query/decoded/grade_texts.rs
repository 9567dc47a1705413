//! The texts of a grade in answers.

use super::bounded_table::{Decoded, escaped, text};
use crate::json::{ApiVersion, Padded};
use crate::record::kinds::grade;
use crate::record::{Kind, Value};
use crate::store::{Collection, Key};

#[derive(Clone)]
pub(crate) struct Grade {
    /// The name of the grade, escaped for JSON.
    pub(crate) name: Vec<u8>,
    /// The text `,"grade_id":"9","grade":"7","terms":[`.
    pub(crate) opening: Padded,
    /// The grade in the lookup list: `{"id":"9","name":"Grade 7"},`.
    pub(crate) listed: Padded,
}

impl Decoded for Grade {
    const KIND: Kind = Kind::Grade;
    const COLLECTION: Collection = Collection::Grades;
    const MAX_BYTES: usize = 512 << 10;

    fn from_values(version: ApiVersion, key: Key, values: &[Value<'_>]) -> Grade {
        let short_name = text(values, grade::SHORT_NAME);
        let name = escaped(short_name);
        let opening = Padded::new(&in_grade(version, key.0, &name));
        let listed = match text(values, grade::NAME) {
            "" => listed_grade(version, key.0, &grade::usual_name(short_name)),
            given => listed_grade(version, key.0, given),
        };
        Grade {
            name,
            opening,
            listed: Padded::new(&listed),
        }
    }

    fn bytes(&self) -> usize {
        self.name.capacity() + self.opening.bytes() + self.listed.bytes()
    }
}

/// Renders `,"grade_id":"9","grade":"7","terms":[`.
pub(crate) fn in_grade(version: ApiVersion, id: u64, name: &[u8]) -> Vec<u8> {
    let mut text = b",\"grade_id\":".to_vec();
    version.push_number(&mut text, id);
    text.extend_from_slice(b",\"grade\":");
    version.push_text(&mut text, name);
    text.extend_from_slice(b",\"terms\":[");
    text
}

/// Renders `{"id":"9","name":"Grade 7"},`.
fn listed_grade(version: ApiVersion, id: u64, name: &str) -> Vec<u8> {
    let mut text = b"{\"id\":".to_vec();
    version.push_number(&mut text, id);
    text.extend_from_slice(b",\"name\":");
    version.push_text(&mut text, &escaped(name));
    text.extend_from_slice(b"},");
    text
}
