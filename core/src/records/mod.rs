//! Typed answers: a type for each record of v1 and of v2.

pub mod v1;
pub mod v2;

use crate::api::Answer;
use serde::de::DeserializeOwned;

/// The reason why an answer cannot be decoded into the requested type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Undecoded {
    /// The request was refused, so the answer contains no records.
    #[error("the request was refused with {status}: {body}")]
    Refused {
        /// The status code of the answer.
        status: u16,
        /// The body of the answer, which is that of a [`v1::Refusal`] or a [`v2::Refusal`].
        body: String,
    },
    /// The answer contains other data.
    #[error("the answer is of another type ({0}): use the type of its endpoint and version")]
    OtherType(String),
}

impl Answer {
    /// Decodes the records of the answer.
    ///
    /// ```
    /// use rollbook::{Engine, Learners, Options, Page, Undecoded, v1, v2};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1000,"current_year":2026}
    /// {"type":"learner","school_id":1000,"id":7,"first_name":"Thandi"}
    /// "#.as_bytes())?;
    /// let current = Learners { school: 1000, ..Learners::default() };
    /// let learners: Vec<v1::Learner> = engine.ask(&current)?.decode()?;
    /// assert_eq!((learners[0].id.as_str(), learners[0].first_name.as_str()), ("7", "Thandi"));
    ///
    /// let page = engine.page(&current, &Page::default())?;
    /// let page: v2::Collection<v2::Learner> = page.decode()?;
    /// assert_eq!(page.data[0].id, 7);
    ///
    /// let refused = engine.ask(&Learners::default())?.decode::<Vec<v1::Learner>>();
    /// assert!(matches!(refused, Err(Undecoded::Refused { status: 404, .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Undecoded> {
        serde_json::from_slice(&self.body).map_err(|error| match self.status.code {
            status @ 400.. => Undecoded::Refused {
                status,
                body: self.text().to_owned(),
            },
            _ => Undecoded::OtherType(error.to_string()),
        })
    }
}

/// Declares types of records, whose fields are named as in the service.
macro_rules! records {
    ($($(#[$about:meta])* $name:ident { $($fields:tt)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the service documents its fields")]
        pub struct $name { $($fields)* }
    )*};
}
use records;
