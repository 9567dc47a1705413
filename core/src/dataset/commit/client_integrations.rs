//! Merges integrators, and the client integrations by which schools authorise them.

use super::open_commit::Commit;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::record::kinds::integrator;
use crate::store::Reader;

impl Commit<'_, '_> {
    pub(super) fn integrator(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let key = integrator::row_key(&head.name);
        let old = self.write.integrator_row(&key)?;
        let new = self.staged.take()?.put.map(<[u8]>::to_vec);
        self.put_row(None, &key, old.as_deref(), new.as_deref())
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
        // A line without a state takes the state from the lines before it or from the store; after
        // a removal the state is 0. A removal that is not from a line (line 0) only removes the
        // record if no line contains it, and does not reset the state.
        let mut state = old.as_ref().and_then(|row| row.first().copied());
        let mut exists = state.is_some();
        let mut last_line = 0;
        self.staged.each(|entry| {
            last_line = entry.line;
            exists = entry.put.is_some();
            match entry.put {
                Some(given) => state = given.first().copied().or(state).or(Some(0)),
                None if entry.line > 0 => state = None,
                None => {}
            }
            Ok(())
        })?;
        let new = state.filter(|_| exists).map(|state| vec![state]);
        self.needs.record(
            self.write,
            Kind::ClientIntegration,
            &[school],
            last_line,
            exists,
        )?;
        self.put_row(Some(school), &key, old.as_deref(), new.as_deref())
    }

    /// Writes the row of an integrator or, if `school` is given, of a client integration.
    fn put_row(
        &mut self,
        school: Option<u64>,
        key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<()> {
        let change = Change::between(old, new);
        let kind = match school {
            Some(_) => Kind::ClientIntegration,
            None => Kind::Integrator,
        };
        self.counter.summary.count(kind, change);
        match change {
            Change::Unchanged | Change::Absent => Ok(()),
            _ => self.write.set_integrator_row(school, key, new),
        }
    }
}
