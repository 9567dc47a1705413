//! Whether an answer may be another by now, for who cannot watch the engine, such as the tabs
//! of a browser that share one: a number tells of changes, and an instant of time.

use super::Engine;
use crate::error::public::Result;
use crate::query::{Question, View};

impl Engine {
    /// The number of the last change of the store. It is another one after each change that
    /// was kept, and the same as long as nothing is changed. To look costs next to nothing.
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
    /// engine.apply(&grade[..])?; // nothing new
    /// assert_eq!(engine.revision()?, after);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn revision(&self) -> Result<u64> {
        Ok(self.store.read(|snapshot| snapshot.sequence())?)
    }

    /// The instant from which on a question may have another answer though nothing was
    /// changed, in seconds since 1970-01-01T00:00:00Z: the next midnight at the school, if the
    /// answer depends on the day. The answer is that of an instant, in such seconds.
    ///
    /// ```
    /// use rollbook::{Absentees, Engine, Grades, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let morning = 1_778_745_600; // 2026-05-14T08:00:00Z
    /// let absences = Absentees { school: 1, ..Absentees::default() };
    /// assert_eq!(engine.holds_until(&absences, morning)?, Some(1_778_796_000)); // T22:00:00Z
    /// let grades = Grades { school: 1, grade_id: None };
    /// assert_eq!(engine.holds_until(&grades, morning)?, None);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`revision`](Self::revision).
    pub fn holds_until(&self, question: &dyn Question, now: i64) -> Result<Option<i64>> {
        let read = |snapshot: &_| View::new(snapshot, now).day(question);
        Ok(self
            .store
            .read(|snapshot| read(snapshot))?
            .map(|day| day.end))
    }
}
