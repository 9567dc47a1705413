//! What is kept of the passes of a sync: of the pass as a whole, and of each answer what
//! came of it. What an answer told lies beside it until it is published.

use super::varint;
use crate::date::Date;
use crate::error::{Error, Result};

/// The pass that is under way, or the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Counts the passes.
    pub(crate) pass: u64,
    /// When it began, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) began: i64,
    pub(crate) is_over: bool,
    /// Whether anything of it was published.
    pub(crate) is_published: bool,
    /// How what is told is written.
    pub(crate) manner: u64,
    /// What tells its options from others.
    pub(crate) options: u64,
    /// Counts what was taken out of the rows by others than the pass: who has them in
    /// memory reads them anew.
    pub(crate) erasures: u64,
    /// Whose state updates are taken and sent: a digest of the name, or 0.
    pub(crate) outbox: u64,
}

/// What came of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It was read whole; what it told lies beside it.
    Told,
    /// It was given up.
    GivenUp,
    /// What it told is published.
    Kept,
    /// It would take away much; what it told lies beside it.
    Held,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) state: State,
    /// The pass that had it last.
    pub(crate) pass: u64,
    /// How often that pass had it.
    pub(crate) times: u64,
    /// When it was taken, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) asked_at: i64,
    /// The year that it is of, if it showed one.
    pub(crate) year: Option<u64>,
    /// The last of its days, if it is of days.
    pub(crate) to: Option<Date>,
    /// Less was asked than there is: without parents.
    pub(crate) less: bool,
    /// The HTTP status.
    pub(crate) status: u64,
    /// How often it was asked for until it came, or was given up.
    pub(crate) attempts: u64,
    /// How many records it told.
    pub(crate) records: u64,
    /// Of the body: two halves.
    pub(crate) digest: [u64; 2],
}

impl Head {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let flags = u64::from(self.is_over) | u64::from(self.is_published) << 1;
        for number in [
            self.pass,
            self.began.cast_unsigned(),
            flags,
            self.manner,
            self.options,
            self.erasures,
            self.outbox,
        ] {
            varint::push(out, number);
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Head> {
        let [pass, began, flags, manner, options, erasures, outbox] = numbers(bytes)?;
        Ok(Head {
            pass,
            began: began.cast_signed(),
            is_over: flags & 1 != 0,
            is_published: flags & 2 != 0,
            manner,
            options,
            erasures,
            outbox,
        })
    }
}

impl State {
    fn of(number: u64) -> Result<State> {
        match number {
            1 => Ok(State::Told),
            2 => Ok(State::GivenUp),
            3 => Ok(State::Kept),
            4 => Ok(State::Held),
            _ => Err(Error::corrupt("nothing is known to come of an answer")),
        }
    }

    fn number(self) -> u64 {
        match self {
            State::Told => 1,
            State::GivenUp => 2,
            State::Kept => 3,
            State::Held => 4,
        }
    }
}

impl Row {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let flags = u64::from(self.less) | u64::from(self.year.is_some()) << 1;
        for number in [
            self.state.number(),
            flags,
            self.pass,
            self.times,
            self.asked_at.cast_unsigned(),
            self.year.unwrap_or_default(),
            self.to.map_or(0, Date::number),
            self.status,
            self.attempts,
            self.records,
        ] {
            varint::push(out, number);
        }
        for half in self.digest {
            varint::push(out, half);
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Row> {
        let [
            state,
            flags,
            pass,
            times,
            asked_at,
            year,
            to,
            status,
            attempts,
            records,
            a,
            b,
        ] = numbers(bytes)?;
        Ok(Row {
            state: State::of(state)?,
            pass,
            times,
            asked_at: asked_at.cast_signed(),
            year: (flags & 2 != 0).then_some(year),
            to: Date::from_number(to),
            less: flags & 1 != 0,
            status,
            attempts,
            records,
            digest: [a, b],
        })
    }
}

fn numbers<const N: usize>(mut bytes: &[u8]) -> Result<[u64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = varint::take(&mut bytes)?;
    }
    Ok(numbers)
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
            for state in [State::Told, State::GivenUp, State::Kept, State::Held] {
                let row = Row {
                    state,
                    pass: 7,
                    times: 2,
                    asked_at: -1,
                    year,
                    to,
                    less,
                    status: 404,
                    attempts: 10,
                    records: 9,
                    digest: [1, u64::MAX],
                };
                let mut bytes = Vec::new();
                row.encode(&mut bytes);
                assert_eq!(Row::decode(&bytes)?, row);
                let cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
                assert!(Row::decode(cut).is_err());
            }
        }
        let head = Head {
            pass: 3,
            began: i64::MIN,
            is_over: true,
            is_published: false,
            manner: 1,
            options: u64::MAX,
            erasures: 1,
            outbox: 7,
        };
        let mut bytes = Vec::new();
        head.encode(&mut bytes);
        assert_eq!(Head::decode(&bytes)?, head);
        Ok(())
    }
}
