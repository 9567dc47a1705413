//! The arguments of the program.

use crate::driver::origin::Origin;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) const HELP: &str = "\
Fills a store from the service, and updates it. Run it again to resume or to update.

  --from URL       where the service is, as https://integrate.example
  --school ID      the school's id
  --store FILE     the store; it is made if there is none
  --now INSTANT    what time it is, as 2026-05-14T08:00:00Z, if the service's clock is fixed

ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD in the environment are the integrator's credentials.";

pub(crate) struct Arguments {
    pub(crate) from: Arc<Origin>,
    pub(crate) school: u64,
    pub(crate) store: PathBuf,
    /// The difference between the time of the service and the clock of the system, in seconds.
    ahead: i64,
}

impl Arguments {
    /// Parses the arguments. Returns `None` if help is requested.
    pub(crate) fn read() -> Result<Option<Arguments>, Box<dyn Error>> {
        use lexopt::prelude::*;
        let (mut from, mut school, mut store, mut ahead) = (None, None, None, 0);
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("from") => from = Some(parser.value()?.string()?),
                Long("school") => school = Some(parser.value()?.parse()?),
                Long("store") => store = Some(parser.value()?.into()),
                Long("now") => {
                    let now: jiff::Timestamp = parser.value()?.parse()?;
                    ahead = now.as_second() - jiff::Timestamp::now().as_second();
                }
                Long("help") | Short('h') => return Ok(None),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Some(Arguments {
            from: Arc::new(Origin::read(&from.ok_or("--from is missing")?)?),
            school: school.ok_or("--school is missing")?,
            store: store.ok_or("--store is missing")?,
            ahead,
        }))
    }

    /// Returns the time of the service, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) fn now(&self) -> i64 {
        jiff::Timestamp::now().as_second() + self.ahead
    }
}
