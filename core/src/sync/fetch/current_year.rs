//! The school's current year, which no answer states by itself: it is the year of the records that
//! the service returns for requests without a year.

use super::pass::Pass;
use crate::sync::resources::resource::Format;
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};

impl Pass {
    /// Returns the school's current year, as the latest answer of this pass shows it.
    pub(crate) fn year_shown(&self) -> Option<u64> {
        let rows = logged_requests(&self.fetch_log).filter(|(request, row)| {
            row.pass == self.number() && !row.is_due() && request.is_of_current_year()
        });
        let shown = rows.filter_map(|(_, row)| Some((row.age(), row.year?)));
        shown.max().map(|(_, year)| year)
    }

    /// Returns the school's current year, and whether an answer of this pass shows it. If none
    /// does, the year is the stored one, or the calendar year if none is stored. If that year is
    /// over, it is the first later year that is not.
    pub(crate) fn year(&self) -> (u64, bool) {
        if let Some(year) = self.year {
            return (year, true);
        }
        let stored = self.stored.map(|stored| stored.year);
        let mut year = stored.unwrap_or_else(|| u64::from(self.today().year()));
        while self.has_new_year_begun(year) {
            year += 1;
        }
        (year, false)
    }

    /// Returns whether a structure of marks exists for this year while the structure for the
    /// current year is empty.
    fn has_new_year_begun(&self, year: u64) -> bool {
        let has_any = |request| self.answer(request).map(|row| row.records > 0);
        logged_requests(&self.fetch_log).any(|(request, _)| {
            let of_current_year = ResourceRequest {
                year: None,
                ..request
            };
            matches!(request.spec().format, Format::Structure)
                && request.year == Some(year)
                && has_any(request) == Some(true)
                && has_any(of_current_year) == Some(false)
        })
    }
}
