//! The options of a sync.

use crate::clock::Offset;
use crate::date::Date;
use crate::error::{Error, Result};

/// The options of a sync.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncOptions {
    /// The first day of the absences and discipline records to sync. The default is a month before
    /// today; the limit is ten years before today.
    pub days_from: Option<Date>,
    /// The school's offset from UTC as `±HH:MM`, which no answer of the service contains. It
    /// determines the current date of the school, for the days to request and for all answers of
    /// the store. It is stored with the school's record: a sync without this option uses the stored
    /// offset, which is `+02:00` at first, and a sync with another offset changes it when it
    /// publishes.
    pub utc_offset: Option<String>,
    /// How many calls may be in flight at once. The default is 4. While the service answers 429,
    /// the sync allows fewer.
    pub most_in_flight: Option<u32>,
    /// How many of the answers that seldom change a pass requests again, the oldest first. The
    /// default is 25. These are the subjects and subject marks of each learner, the absences and
    /// discipline records of earlier days, and lists such as the grades and the parents. Answers
    /// that are known to have changed are requested in any case. For each 25 of the answers, the
    /// structure of the marks of one grade is requested again as well.
    pub rotate: Option<u32>,
    /// The user name of the integrator whose credentials the calls use. With this option, state
    /// updates of that integrator are accepted and sent: a requested state is visible at once, and
    /// is reset if the service refuses it. Without it, state updates of a synced school are
    /// refused.
    pub outbox: Option<String>,
}

/// The default of `most_in_flight`.
const IN_FLIGHT: u32 = 4;
/// The default of `rotate`.
const ROTATE: u32 = 25;

/// The maximum number of days between the first requested day and today.
const MAX_DAYS: u64 = 3_660;

impl SyncOptions {
    /// Parses the offset from UTC.
    ///
    /// # Errors
    /// Fails with `unsupported` if the offset is invalid.
    pub(super) fn offset(&self) -> Result<Option<Offset>> {
        let parse = |text: &String| {
            Offset::parse(text).ok_or_else(|| {
                Error::unsupported("an offset of this form: write ±HH:MM, at most 18:00")
            })
        };
        self.utc_offset.as_ref().map(parse).transpose()
    }

    pub(super) fn most_in_flight(&self) -> u32 {
        self.most_in_flight.unwrap_or(IN_FLIGHT)
    }

    pub(super) fn rotate(&self) -> usize {
        usize::try_from(self.rotate.unwrap_or(ROTATE)).unwrap_or(usize::MAX)
    }

    /// Returns the first day to request.
    pub(super) fn first_day(&self, today: Date) -> Date {
        let from = self.days_from.unwrap_or_else(|| today.month_before());
        from.max(today.days_before(MAX_DAYS))
    }
}
