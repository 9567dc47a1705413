//! What a sync covers, and how.

use crate::error::{Result, RollbookError};

/// What is to be synced of a school; each may be left out.
#[derive(Debug, Clone, Default, uniffi::Record)]
pub struct SyncOptions {
    /// The first day of absences and discipline, as YYYY-MM-DD; a month before today
    /// unless given, and at most ten years before.
    #[uniffi(default)]
    pub days_from: Option<String>,
    /// The school's distance from UTC as `±HH:MM`, which the service does not tell;
    /// `+02:00` unless given. It says which day is today at the school.
    #[uniffi(default)]
    pub utc_offset: Option<String>,
    /// How many calls may be out at once; 4 unless given. The service may make it fewer.
    #[uniffi(default)]
    pub most_in_flight: Option<u32>,
    /// How many of the answers that seldom change are asked for again in a pass, the oldest
    /// first; 25 unless given.
    #[uniffi(default)]
    pub rotate: Option<u32>,
    /// The integrator with whose credentials the calls are sent, by user name, if its state
    /// updates are to be taken and sent. What was asked for shows at once, and is taken back
    /// if the service refuses it. Without it state updates of a school that is synced are
    /// refused.
    #[uniffi(default)]
    pub outbox: Option<String>,
}

impl SyncOptions {
    pub(crate) fn as_given(&self) -> Result<rollbook::SyncOptions> {
        let date = |text: &String| {
            let date = text.parse();
            date.map_err(|bad: rollbook::BadDate| {
                RollbookError::BadArgument(format!("days_from is {bad}"))
            })
        };
        let mut options = rollbook::SyncOptions::default();
        options.days_from = self.days_from.as_ref().map(date).transpose()?;
        options.utc_offset.clone_from(&self.utc_offset);
        options.most_in_flight = self.most_in_flight;
        options.rotate = self.rotate;
        options.outbox.clone_from(&self.outbox);
        Ok(options)
    }
}
