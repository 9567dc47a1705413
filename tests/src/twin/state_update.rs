//! The state update of 4.8.

use std::collections::BTreeMap;

use super::Twin;
use super::answer::{TwinAnswer, bad_request, unauthorized, updated};
use super::integers::digits;
use super::json::{Value, read_object};
use super::kinds::Kind;
use super::line::unknown;
use super::records::{Key, Part};

impl Twin {
    /// Sets the state for a school that has authorised the integrator for some API type.
    pub(crate) fn update_state(
        &mut self,
        username: &str,
        school: u64,
        body: &[u8],
    ) -> Result<TwinAnswer, TwinAnswer> {
        let no_object = || bad_request("The body must be a JSON object");
        let body = std::str::from_utf8(body).map_err(|_| no_object())?;
        let mut members: BTreeMap<String, Value> = BTreeMap::new();
        for (name, value) in read_object(body).map_err(|_| no_object())? {
            if members.insert(name.clone(), value).is_some() {
                return Err(bad_request(&format!(
                    "The body has the name \"{}\" twice",
                    unknown(&name)
                )));
            }
        }
        let state = members
            .get("state")
            .and_then(literal)
            .filter(|state| *state <= 1);
        let state = state.ok_or_else(|| bad_request("Invalid integration state provided"))?;
        let api_type = members.get("api_type_id").and_then(literal);
        let api_type =
            api_type.ok_or_else(|| bad_request("api_type_id must be an unsigned integer"))?;
        let parts = vec![
            Part::Name(username.to_owned()),
            Part::Number(school),
            Part::Number(api_type),
        ];
        let authorisation = self.store.records.get_mut(&Key {
            kind: Kind::ClientIntegration,
            parts,
        });
        let authorisation = authorisation
            .ok_or_else(|| unauthorized("Client access not authorised for this API type"))?;
        let before = authorisation.fields.insert("state", state.to_string());
        Ok(updated(before != Some(state.to_string())))
    }
}

/// Returns a JSON number that is written with digits only.
pub(crate) fn literal(value: &Value) -> Option<u64> {
    value.number().and_then(digits)
}
