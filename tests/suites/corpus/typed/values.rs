//! The types into which the records of a resource are decoded.

use rollbook::{Answer, Undecoded, v2};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) fn reread<T: DeserializeOwned + Serialize>(answer: &Answer) -> Result<Value, Undecoded> {
    let mut read = serde_json::to_value(answer.decode::<T>()?).unwrap();
    without_nothing(&mut read);
    Ok(read)
}

/// Removes null fields, which mean the same as missing fields.
pub(crate) fn without_nothing(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nothing);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nothing),
        _ => {}
    }
}

pub(crate) type Reread = fn(&Answer) -> Result<Value, Undecoded>;

/// How the answers about a resource are decoded.
pub(crate) struct Values {
    /// A whole answer of v1.
    pub(crate) v1: Reread,
    /// A page of v2.
    pub(crate) page: Reread,
    /// One record of v2.
    pub(crate) one: Reread,
}

impl Values {
    /// Returns the readers of records that v1 answers in an array.
    pub(crate) const fn array<One, Two>() -> Values
    where
        One: DeserializeOwned + Serialize,
        Two: DeserializeOwned + Serialize,
    {
        Values {
            v1: reread::<Vec<One>>,
            page: reread::<v2::Collection<Two>>,
            one: reread::<Two>,
        }
    }
}
