//! What is to be synced of a school.

use crate::clock::Offset;
use crate::date::Date;
use crate::error::{Error, Result};

/// What is to be synced of a school.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncOptions {
    /// The first day of absences and discipline; a month before today unless given, and
    /// at most ten years before.
    pub days_from: Option<Date>,
    /// The school's distance from UTC as `±HH:MM`, which the service does not tell;
    /// `+02:00` unless given. It says which day is today at the school.
    pub utc_offset: Option<String>,
    /// How many calls may be out at once; 4 unless given. The service may make it fewer.
    pub most_in_flight: Option<u32>,
    /// How many of the answers that seldom change are asked for again in a pass, the oldest
    /// first; 25 unless given. These are each learner's subjects and their marks, unless
    /// they are known to have changed, and absences and discipline of days long gone.
    pub rotate: Option<u32>,
    /// The integrator with whose credentials the calls are sent, by user name, if its state
    /// updates are to be taken and sent. What was asked for shows at once, and is taken back
    /// if the service refuses it. Without it state updates of a school that is synced are
    /// refused.
    pub outbox: Option<String>,
}

/// So many calls are out at once,
const IN_FLIGHT: u32 = 4;
/// and so many answers are asked for again.
const ROTATE: u32 = 25;

/// No window reaches further back, in days.
const MOST_DAYS: u64 = 3_660;

impl SyncOptions {
    /// # Errors
    /// `unsupported` if the offset is none.
    pub(super) fn offset(&self) -> Result<Offset> {
        match &self.utc_offset {
            None => Ok(Offset::DEFAULT),
            Some(text) => Offset::parse(text).ok_or_else(|| {
                Error::unsupported("an offset of this form: write ±HH:MM, at most 18:00")
            }),
        }
    }

    pub(super) fn most_in_flight(&self) -> u32 {
        self.most_in_flight.unwrap_or(IN_FLIGHT)
    }

    pub(super) fn rotate(&self) -> usize {
        usize::try_from(self.rotate.unwrap_or(ROTATE)).unwrap_or(usize::MAX)
    }

    /// The first of the days that are asked for.
    pub(super) fn first_day(&self, today: Date) -> Date {
        let from = self.days_from.unwrap_or_else(|| today.month_before());
        from.max(today.days_before(MOST_DAYS))
    }
}
