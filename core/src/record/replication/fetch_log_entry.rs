//! The fetch log: the state of a sync pass, and the outcome of each answer of the service. The
//! fetched records of an answer are stored beside its entry until they are published.

use crate::date::Date;
use crate::error::{Error, Result};
use crate::varint;

/// The current pass, or the last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PassHead {
    /// The number of the pass.
    pub(crate) pass: u64,
    /// The time of the start, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) began: i64,
    pub(crate) is_over: bool,
    /// Whether any answer of the pass was published.
    pub(crate) is_published: bool,
    /// The codec version of the fetched records.
    pub(crate) codec_version: u64,
    /// A digest of the options, which shows whether they have changed.
    pub(crate) options: u64,
    /// Counts the deletions of rows outside of the pass. A copy of the rows in memory must be
    /// read again if the count differs.
    pub(crate) erasures: u64,
    /// The user whose state updates are accepted and sent, as a digest of the name, or 0.
    pub(crate) outbox: u64,
}

/// The state of an answer of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FetchState {
    /// Another answer refers to the answer, but it was not requested yet.
    Unfetched,
    /// The answer was read completely. Its records are stored beside its entry, and not published
    /// yet.
    Fetched,
    /// The answer could not be fetched or read, and is not requested again in this pass.
    Failed,
    /// The records of the answer are published.
    Published,
    /// The answer was only used to find out which other answers exist or have changed. None of its
    /// records are published.
    IndicationOnly,
    /// Publishing the answer would remove much. Its records are stored beside its entry, until the
    /// app decides or the service answers differently.
    Quarantined,
    /// The answer was quarantined, and the app approved it. It is published together with
    /// everything that belongs to it, as soon as none of that is quarantined.
    Approved,
}

/// Whether the next pass must repeat a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    No,
    /// Other answers show that the answer has changed.
    Changed,
    /// The records may differ from the answer, for example because another answer of the same pass
    /// had different values. The answer is read again even if it is unchanged.
    ReadAgain,
}

/// The entry of the fetch log for one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FetchLogEntry {
    pub(crate) state: FetchState,
    /// The last pass that received the answer.
    pub(crate) pass: u64,
    /// How often that pass received the answer.
    pub(crate) times: u64,
    /// How many answers that pass had received before.
    pub(crate) position: u64,
    /// The time of the answer, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) asked_at: i64,
    /// The administrative year that the answer showed, if any.
    pub(crate) year: Option<u64>,
    /// The last day of the answer, if it covers days.
    pub(crate) to: Option<Date>,
    /// Whether the request omitted parents.
    pub(crate) without_parents: bool,
    /// Whether the answer differs from that of the pass before.
    pub(crate) is_changed: bool,
    /// Whether the next pass must repeat the request.
    pub(crate) due: Due,
    /// The HTTP status.
    pub(crate) status: u64,
    /// The number of attempts before the answer was received or has failed.
    pub(crate) attempts: u64,
    /// The number of records in the answer.
    pub(crate) records: u64,
    /// The number of stored values that a quarantined answer would remove, or that a published one
    /// has removed without approval, in the field that loses the most.
    pub(crate) lost: u64,
    /// The number of stored values of that field.
    pub(crate) stored: u64,
    /// A digest of the body, in two halves.
    pub(crate) digest: [u64; 2],
}

impl PassHead {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let flags = u64::from(self.is_over) | u64::from(self.is_published) << 1;
        for number in [
            self.pass,
            self.began.cast_unsigned(),
            flags,
            self.codec_version,
            self.options,
            self.erasures,
            self.outbox,
        ] {
            varint::push(out, number);
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<PassHead> {
        let [pass, began, flags, codec_version, options, erasures, outbox] = numbers(bytes)?;
        Ok(PassHead {
            pass,
            began: began.cast_signed(),
            is_over: flags & 1 != 0,
            is_published: flags & 2 != 0,
            codec_version,
            options,
            erasures,
            outbox,
        })
    }
}

impl FetchState {
    /// Returns whether the answer is stored but not published until the app approves it, or until
    /// everything that belongs to it is approved too.
    pub(crate) const fn is_quarantined(self) -> bool {
        matches!(self, FetchState::Quarantined | FetchState::Approved)
    }

    fn from_number(number: u64) -> Result<FetchState> {
        match number {
            1 => Ok(FetchState::Fetched),
            2 => Ok(FetchState::Failed),
            3 => Ok(FetchState::Published),
            4 => Ok(FetchState::Quarantined),
            5 => Ok(FetchState::Approved),
            6 => Ok(FetchState::IndicationOnly),
            7 => Ok(FetchState::Unfetched),
            _ => Err(Error::corrupt(
                "the state of an answer in the fetch log is unknown",
            )),
        }
    }

    fn number(self) -> u64 {
        match self {
            FetchState::Fetched => 1,
            FetchState::Failed => 2,
            FetchState::Published => 3,
            FetchState::Quarantined => 4,
            FetchState::Approved => 5,
            FetchState::IndicationOnly => 6,
            FetchState::Unfetched => 7,
        }
    }
}

impl FetchLogEntry {
    /// The entry of an answer that must be requested, and was not requested before.
    pub(crate) const UNFETCHED: FetchLogEntry = FetchLogEntry {
        state: FetchState::Unfetched,
        pass: 0,
        times: 0,
        position: 0,
        asked_at: 0,
        year: None,
        to: None,
        without_parents: false,
        is_changed: false,
        due: Due::Changed,
        status: 0,
        attempts: 0,
        records: 0,
        lost: 0,
        stored: 0,
        digest: [0; 2],
    };

    pub(crate) fn is_due(&self) -> bool {
        self.due != Due::No
    }

    /// Returns a key that sorts answers in the order in which they were received. It does not depend
    /// on the clock, which may be set back and counts seconds only.
    pub(crate) fn age(&self) -> (u64, u64) {
        (self.pass, self.position)
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let flags = [
            self.without_parents,
            self.year.is_some(),
            self.is_changed,
            self.due == Due::Changed,
            self.due == Due::ReadAgain,
        ];
        let flags = (0..)
            .zip(flags)
            .map(|(bit, is_set)| u64::from(is_set) << bit);
        for number in [
            self.state.number(),
            flags.sum(),
            self.pass,
            self.times,
            self.position,
            self.asked_at.cast_unsigned(),
            self.year.unwrap_or_default(),
            self.to.map_or(0, Date::number),
            self.status,
            self.attempts,
            self.records,
            self.lost,
            self.stored,
        ] {
            varint::push(out, number);
        }
        for half in self.digest {
            varint::push(out, half);
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<FetchLogEntry> {
        let [
            state,
            flags,
            pass,
            times,
            position,
            asked_at,
            year,
            to,
            status,
            attempts,
            records,
            lost,
            stored,
            a,
            b,
        ] = numbers(bytes)?;
        Ok(FetchLogEntry {
            state: FetchState::from_number(state)?,
            pass,
            times,
            position,
            asked_at: asked_at.cast_signed(),
            year: (flags & 2 != 0).then_some(year),
            to: Date::from_number(to),
            without_parents: flags & 1 != 0,
            is_changed: flags & 4 != 0,
            due: match flags >> 3 & 3 {
                0 => Due::No,
                1 => Due::Changed,
                _ => Due::ReadAgain,
            },
            status,
            attempts,
            records,
            lost,
            stored,
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
    use crate::record::replication::fetch_log_entry::*;

    #[test]
    fn rows_come_back() -> Result<()> {
        for (year, to, less) in [
            (None, None, false),
            (Some(0), Date::new(2026, 5, 14), true),
            (Some(u64::MAX), None, true),
        ] {
            for number in 1..=7 {
                let state = FetchState::from_number(number)?;
                let row = FetchLogEntry {
                    state,
                    pass: 7,
                    times: 2,
                    position: 5,
                    asked_at: -1,
                    year,
                    to,
                    without_parents: less,
                    is_changed: !less,
                    due: if less { Due::ReadAgain } else { Due::No },
                    status: 404,
                    attempts: 10,
                    records: 9,
                    lost: 1,
                    stored: 2,
                    digest: [1, u64::MAX],
                };
                let mut bytes = Vec::new();
                row.encode(&mut bytes);
                assert_eq!(FetchLogEntry::decode(&bytes)?, row);
                let cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
                assert!(FetchLogEntry::decode(cut).is_err());
            }
        }
        let head = PassHead {
            pass: 3,
            began: i64::MIN,
            is_over: true,
            is_published: false,
            codec_version: 1,
            options: u64::MAX,
            erasures: 1,
            outbox: 7,
        };
        let mut bytes = Vec::new();
        head.encode(&mut bytes);
        assert_eq!(PassHead::decode(&bytes)?, head);
        Ok(())
    }
}
