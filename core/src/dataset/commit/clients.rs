//! Integrators, and what schools have authorised them for.

use super::Commit;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::{Kind, integrator};
use crate::store::Reader;

impl Commit<'_, '_> {
    pub(super) fn integrator(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let key = integrator::row_key(&head.name);
        let old = self.write.integrator_row(&key)?;
        let new = self.staged.take()?.put.map(<[u8]>::to_vec);
        self.put_row(Kind::Integrator, &key, old.as_deref(), new.as_deref())
    }

    pub(super) fn client_integration(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let &[school, api_type] = head.words() else {
            return Ok(());
        };
        let key = integrator::authorisation_key(&head.name, school, api_type);
        let old = self.write.integrator_row(&key)?;
        // A line without a state keeps what the lines before it and the store
        // have; after a removal it is 0. A removal that no line asked for
        // (line 0) only says that the record goes unless a line brings it.
        let mut state = old.as_ref().and_then(|row| row.first().copied());
        let mut there = state.is_some();
        let mut last_line = 0;
        self.staged.each(|entry| {
            last_line = entry.line;
            there = entry.put.is_some();
            match entry.put {
                Some(given) => state = given.first().copied().or(state).or(Some(0)),
                None if entry.line > 0 => state = None,
                None => {}
            }
            Ok(())
        })?;
        let new = state.filter(|_| there).map(|state| vec![state]);
        self.needs.note(
            self.write,
            Kind::ClientIntegration,
            &[school],
            last_line,
            there,
        )?;
        self.put_row(
            Kind::ClientIntegration,
            &key,
            old.as_deref(),
            new.as_deref(),
        )
    }

    fn put_row(
        &mut self,
        kind: Kind,
        key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<()> {
        let change = Change::of(old, new);
        self.tally.summary.count(kind, change);
        match (change, new) {
            (Change::Added | Change::Changed, Some(row)) => self.write.put_integrator_row(key, row),
            (Change::Removed, _) => self.write.remove_integrator_row(key),
            _ => Ok(()),
        }
    }
}
