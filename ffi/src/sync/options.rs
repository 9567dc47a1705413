//! The options of a sync.

use crate::error::{Result, RollbookError};

/// The options of a sync. Each of them can be omitted.
#[derive(Debug, Clone, Default, uniffi::Record)]
pub struct SyncOptions {
    /// The first day of the absences and discipline records to sync, as YYYY-MM-DD. The default is
    /// a month before today; the limit is ten years before today.
    #[uniffi(default)]
    pub days_from: Option<String>,
    /// The school's offset from UTC as `±HH:MM`, which no answer of the service contains. It
    /// determines the current date of the school. The default is the offset that is stored with the
    /// school, which is `+02:00` at first.
    #[uniffi(default)]
    pub utc_offset: Option<String>,
    /// How many calls may be in flight at once. The default is 4. While the service answers 429,
    /// the sync allows fewer.
    #[uniffi(default)]
    pub most_in_flight: Option<u32>,
    /// How many of the answers that seldom change a pass requests again, the oldest first. The
    /// default is 25.
    #[uniffi(default)]
    pub rotate: Option<u32>,
    /// The user name of the integrator whose credentials the calls use, if state updates of that
    /// integrator are accepted and sent. A requested state is visible at once, and is reset if the
    /// service refuses it. Without this option, state updates of a synced school are refused.
    #[uniffi(default)]
    pub outbox: Option<String>,
}

impl SyncOptions {
    /// Converts the options to the type of the engine.
    pub(crate) fn to_core(&self) -> Result<rollbook::SyncOptions> {
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
