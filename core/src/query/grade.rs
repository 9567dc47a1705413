//! A grade, as parts of answers.

use super::held::{Decoded, escaped, text};
use crate::json::{Padded, Wire};
use crate::record::{Kind, Value, grade};
use crate::store::{Collection, Key};

#[derive(Clone)]
pub(super) struct Grade {
    /// Its name, escaped for JSON, as those of years and learning outcomes.
    pub(super) name: Vec<u8>,
    /// `,"grade_id":"9","grade":"7","terms":[`.
    pub(super) opening: Padded,
    /// `{"id":"9","name":"Grade 7"},`: the grade in the lookup.
    pub(super) listed: Padded,
}

impl Decoded for Grade {
    const KIND: Kind = Kind::Grade;
    const COLLECTION: Collection = Collection::Grades;
    const MOST_BYTES: usize = 512 << 10;

    fn of(wire: Wire, key: Key, values: &[Value<'_>]) -> Grade {
        let short_name = text(values, grade::SHORT_NAME);
        let name = escaped(short_name);
        let opening = Padded::of(&in_grade(wire, key.0, &name));
        let listed = match text(values, grade::NAME) {
            "" => listed_grade(wire, key.0, &grade::usual_name(short_name)),
            given => listed_grade(wire, key.0, given),
        };
        Grade {
            name,
            opening,
            listed: Padded::of(&listed),
        }
    }

    fn bytes(&self) -> usize {
        self.name.capacity() + self.opening.bytes() + self.listed.bytes()
    }
}

/// `,"grade_id":"9","grade":"7","terms":[`
pub(super) fn in_grade(wire: Wire, id: u64, name: &[u8]) -> Vec<u8> {
    let mut text = b",\"grade_id\":".to_vec();
    wire.push_number(&mut text, id);
    text.extend_from_slice(b",\"grade\":");
    wire.push_text(&mut text, name);
    text.extend_from_slice(b",\"terms\":[");
    text
}

/// `{"id":"9","name":"Grade 7"},`
fn listed_grade(wire: Wire, id: u64, name: &str) -> Vec<u8> {
    let mut text = b"{\"id\":".to_vec();
    wire.push_number(&mut text, id);
    text.extend_from_slice(b",\"name\":");
    wire.push_text(&mut text, &escaped(name));
    text.extend_from_slice(b"},");
    text
}
