//! Shows whether an answer may have changed, for callers that cannot use live queries, such as the
//! tabs of a browser that share an engine. A number changes with each commit, and an instant limits
//! the validity of an answer.

use super::Engine;
use crate::error::public::Result;
use crate::query::{Question, View};

impl Engine {
    /// Returns the number of the last change of the store. It is different after each change that
    /// was stored, and remains the same as long as nothing is changed. The call costs almost
    /// nothing.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let grade = br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#;
    /// let before = engine.revision()?;
    /// engine.apply(&grade[..])?;
    /// let after = engine.revision()?;
    /// assert_ne!(before, after);
    /// engine.apply(&grade[..])?; // changes nothing
    /// assert_eq!(engine.revision()?, after);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn revision(&self) -> Result<u64> {
        Ok(self.store.read(|snapshot| snapshot.sequence())?)
    }

    /// Returns the instant until which the answer to a question at the instant `now` remains valid
    /// if nothing is changed. This is the next midnight at the school if the answer depends on the
    /// date; otherwise there is no limit. Instants are in seconds since 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use rollbook::{Absentees, Engine, Grades, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let morning = 1_778_745_600; // 2026-05-14T08:00:00Z
    /// let absences = Absentees { school: 1, ..Absentees::default() };
    /// assert_eq!(engine.valid_until(&absences, morning)?, Some(1_778_796_000)); // T22:00:00Z
    /// let grades = Grades { school: 1, grade_id: None };
    /// assert_eq!(engine.valid_until(&grades, morning)?, None);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`revision`](Self::revision) does.
    pub fn valid_until(&self, question: &dyn Question, now: i64) -> Result<Option<i64>> {
        let read = |snapshot: &_| View::new(snapshot, now).day(question);
        Ok(self
            .store
            .read(|snapshot| read(snapshot))?
            .map(|day| day.end))
    }
}
