//! What is kept of a pass of a sync while it is under way: when it began, and of each answer
//! what came of it. What an answer told lies beside it until the pass is published.

use super::varint;
use crate::date::Date;
use crate::error::{Error, Result};

/// The pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// When it began, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) began: i64,
    /// How what is told is written.
    pub(crate) manner: u64,
    /// What tells its options from others.
    pub(crate) options: u64,
}

/// What came of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It was read whole.
    Told,
    /// It was given up.
    GivenUp,
}

/// An answer of the pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) state: State,
    /// When it was taken, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) asked_at: i64,
    /// The year that it is of, if it showed one.
    pub(crate) year: Option<u64>,
    /// The last of its days, if it is of days.
    pub(crate) to: Option<Date>,
    /// Less was asked than there is: without parents.
    pub(crate) less: bool,
}

impl Head {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for number in [self.began.cast_unsigned(), self.manner, self.options] {
            varint::push(out, number);
        }
    }

    pub(crate) fn decode(mut bytes: &[u8]) -> Result<Head> {
        Ok(Head {
            began: varint::take(&mut bytes)?.cast_signed(),
            manner: varint::take(&mut bytes)?,
            options: varint::take(&mut bytes)?,
        })
    }
}

const TOLD: u64 = 1;
const GIVEN_UP: u64 = 2;

impl Row {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let state = match self.state {
            State::Told => TOLD,
            State::GivenUp => GIVEN_UP,
        };
        let flags = u64::from(self.less) | u64::from(self.year.is_some()) << 1;
        let year = self.year.unwrap_or_default();
        let to = self.to.map_or(0, Date::number);
        let asked_at = self.asked_at.cast_unsigned();
        for number in [state, flags, asked_at, year, to] {
            varint::push(out, number);
        }
    }

    pub(crate) fn decode(mut bytes: &[u8]) -> Result<Row> {
        let mut numbers = [0; 5];
        for number in &mut numbers {
            *number = varint::take(&mut bytes)?;
        }
        let [state, flags, asked_at, year, to] = numbers;
        Ok(Row {
            state: match state {
                TOLD => State::Told,
                GIVEN_UP => State::GivenUp,
                _ => return Err(Error::corrupt("nothing is known to come of an answer")),
            },
            asked_at: asked_at.cast_signed(),
            year: (flags & 2 != 0).then_some(year),
            to: Date::from_number(to),
            less: flags & 1 != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() -> Result<()> {
        for (year, to, less) in [
            (None, None, false),
            (Some(0), Date::new(2026, 5, 14), true),
            (Some(u64::MAX), None, true),
        ] {
            for state in [State::Told, State::GivenUp] {
                let row = Row {
                    state,
                    asked_at: -1,
                    year,
                    to,
                    less,
                };
                let mut bytes = Vec::new();
                row.encode(&mut bytes);
                assert_eq!(Row::decode(&bytes)?, row);
                let cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
                assert!(Row::decode(cut).is_err());
            }
        }
        let head = Head {
            began: i64::MIN,
            manner: 1,
            options: u64::MAX,
        };
        let mut bytes = Vec::new();
        head.encode(&mut bytes);
        assert_eq!(Head::decode(&bytes)?, head);
        Ok(())
    }
}
