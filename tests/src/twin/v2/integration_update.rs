//! POST and PATCH of client integrations (`v2.md`, "Client integrations").

use std::collections::BTreeMap;

use super::super::Twin;
use super::super::answer::TwinAnswer;
use super::super::endpoints::clients::{CLIENT_INTEGRATION, Question, rows};
use super::super::json::{Value, read_object};
use super::super::kinds::Kind;
use super::super::line::unknown;
use super::super::records::{Key, Part};
use super::super::request::view;
use super::super::state_update::literal;
use super::answer::{invalid, message, no_access};
use super::types::typed;

/// The update that a body requests.
struct Update {
    school: u64,
    api_type: u64,
    state: u64,
}

impl Twin {
    /// Sets the same state that v1 reads.
    pub(crate) fn update_integration(
        &mut self,
        username: &str,
        body: &[u8],
    ) -> Result<TwinAnswer, TwinAnswer> {
        let update = read(body).map_err(|faults| invalid(&faults))?;
        let parts = vec![
            Part::Name(username.to_owned()),
            Part::Number(update.school),
            Part::Number(update.api_type),
        ];
        let key = Key {
            kind: Kind::ClientIntegration,
            parts,
        };
        let record = self.store.records.get_mut(&key).ok_or_else(no_access)?;
        let state = update.state.to_string();
        let before = record.fields.insert("state", state.clone());
        let question = Question {
            school: Some(update.school),
            api_type: Some(update.api_type),
        };
        let view = view(&self.store, username, update.school, 0);
        let (_, record) = rows(&view, &question).remove(0);
        let data = Some(("data", typed(&CLIENT_INTEGRATION, record)));
        let done = if update.state == 1 {
            "activated"
        } else {
            "deactivated"
        };
        if before == Some(state) {
            return Err(message(
                400,
                false,
                &format!("Integration already {done}"),
                data,
            ));
        }
        Ok(message(
            200,
            true,
            &format!("Integration successfully {done}"),
            data,
        ))
    }
}

/// The names of the faulty fields, with their messages.
type Faults = Vec<(String, String)>;

fn read(body: &[u8]) -> Result<Update, Faults> {
    let one = |name: &str, text: &str| vec![(name.to_owned(), text.to_owned())];
    let no_object = || one("body", "The body must be a JSON object");
    let body = std::str::from_utf8(body).map_err(|_| no_object())?;
    let mut members: BTreeMap<String, Value> = BTreeMap::new();
    for (name, value) in read_object(body).map_err(|_| no_object())? {
        if members.insert(name.clone(), value).is_some() {
            let name = unknown(&name);
            return Err(one(name, &format!("{name} stands twice in the body")));
        }
    }
    let school = members.get("school_id").and_then(literal);
    let api_type = members.get("api_type_id").and_then(literal);
    let state = members
        .get("state")
        .and_then(|value| match value.raw.as_str() {
            "true" => Some(1),
            "false" => Some(0),
            _ => literal(value).filter(|state| *state <= 1),
        });
    if let (Some(school), Some(api_type), Some(state)) = (school, api_type, state) {
        return Ok(Update {
            school,
            api_type,
            state,
        });
    }
    let mut faults = Vec::new();
    for (missing, name, text) in [
        (school.is_none(), "school_id", "The school_id is invalid"),
        (
            api_type.is_none(),
            "api_type_id",
            "The api_type_id is invalid",
        ),
        (state.is_none(), "state", "The State must be a boolean"),
    ] {
        if missing {
            faults.extend(one(name, text));
        }
    }
    Err(faults)
}
