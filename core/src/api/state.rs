//! The state update: whether an integrator serves a client (4.8; section 9, item 7).

use super::context::RequestContext;
use super::message::Status;
use super::refusal::{ID_TOO_LONG, Refusal};
use super::{v1, v2};
use crate::dataset::IdempotencyKey;
use crate::dataset::replication::outbox;
use crate::error::{Error, Result};
use crate::json::{self, Object};
use crate::query::{self, NO_INTEGRATIONS, ValidationErrors, View, Wrong, push_client};
use crate::record::kinds::integrator;
use crate::record::values::message_values::shown_name;
use crate::record::values::value::integer;
use crate::store::{IdempotencyRecord, Reader, Store};
use std::collections::HashSet;
use std::hash::Hash;

/// The state update (4.8): whether the integrator serves a school's API type.
///
/// The status of the answer is 200 if the state was changed, and 204 if it was the same already.
/// The body is `[]` in both cases.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, SetState};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"school","school_id":1,"current_year":2026}
/// {"type":"client_integration","username":"demo","school_id":1,"api_type_id":8}"#.as_bytes())?;
/// let on = SetState { username: "demo", school: 1, api_type_id: 8, state: true };
/// assert_eq!(engine.set_state(&on)?.status.code, 200);
/// assert_eq!(engine.set_state(&on)?.status.code, 204);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SetState<'a> {
    /// The integrator's user name.
    pub username: &'a str,
    /// The school's login id.
    pub school: u64,
    /// The API type.
    pub api_type_id: u64,
    /// Whether the integrator serves the API type.
    pub state: bool,
}

/// The result of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Update {
    /// The school has not authorised the integrator at all.
    NoClient,
    /// The school has not authorised the API type.
    NotAuthorised,
    /// The state is already the requested one.
    Same,
    Changed,
    /// The update was already made with this id. Contains the answer of that time.
    Repeated(Vec<u8>),
}

/// Makes an update, unless the state is already the requested one or the update was already made
/// with its id. `answer` is stored as the answer to the change.
fn update(
    store: &Store,
    key: Option<&IdempotencyKey>,
    set: &SetState<'_>,
    answer: &[u8],
) -> Result<Update> {
    if !is_client(store, set.username, set.school)? {
        return Ok(Update::NoClient);
    }
    let row_key = integrator::authorisation_key(set.username, set.school, set.api_type_id);
    let row = vec![u8::from(set.state)];
    // An update without an effect is usually found without a write transaction.
    let settled = store.read(|snapshot| {
        let stored = snapshot.integrator_row(&row_key)?;
        let synced = !snapshot.owners().get(set.school).is_app();
        let synced = unsendable(&**snapshot, synced, set)?;
        result_without_change(stored, &row, key, synced, |id| {
            snapshot.idempotency_record(id)
        })
    })?;
    if let Some(update) = settled {
        return Ok(update);
    }
    store.write(|write| {
        let stored = write.integrator_row(&row_key)?;
        let is_synced = !write.owners().get(set.school).is_app();
        let synced = unsendable(write, is_synced, set)?;
        let before = stored.clone().unwrap_or_default();
        if let Some(update) =
            result_without_change(stored, &row, key, synced, |id| write.idempotency_record(id))?
        {
            return Ok(update);
        }
        write.set_integrator_row(Some(set.school), &row_key, Some(&row))?;
        if is_synced {
            let states = [integrator::is_active(&before)?, set.state];
            outbox::add(write, set.school, set.username, set.api_type_id, states)?;
        }
        if let Some(key) = key {
            write.put_idempotency_record(key.id(), &key.idempotency_record(answer.to_vec()))?;
        }
        Ok(Update::Changed)
    })
}

/// Returns the school if it is synced and the app has not enabled the outbox for this integrator,
/// so that the update would not be sent to the service.
fn unsendable(reader: &dyn Reader, is_synced: bool, set: &SetState<'_>) -> Result<Option<u64>> {
    let is_sendable = !is_synced || outbox::is_open(reader, set.school, set.username)?;
    Ok((!is_sendable).then_some(set.school))
}

/// Returns the result of an update that changes nothing. Authorisation is checked first, so that a
/// caller without it learns nothing about the id. Fails if `synced` is a school, because
/// the update would not be sent to the service.
fn result_without_change(
    stored: Option<Vec<u8>>,
    row: &[u8],
    key: Option<&IdempotencyKey>,
    synced: Option<u64>,
    idempotency_record: impl FnOnce(&str) -> Result<Option<IdempotencyRecord>>,
) -> Result<Option<Update>> {
    let Some(stored) = stored else {
        return Ok(Some(Update::NotAuthorised));
    };
    if let Some(key) = key
        && let Some(answer) = key.outcome(idempotency_record(key.id())?)?
    {
        return Ok(Some(Update::Repeated(answer)));
    }
    if let Some(school) = synced {
        return Err(Error::Synced { school }.into());
    }
    Ok((stored == row).then_some(Update::Same))
}

fn is_client(store: &Store, username: &str, school: u64) -> Result<bool> {
    store.read(|snapshot| {
        let authorised = query::authorisations(snapshot, username, school)?;
        Ok(!authorised.is_empty())
    })
}

/// Makes an update for a typed call.
pub(crate) fn set_state(
    store: &Store,
    key: Option<&IdempotencyKey>,
    set: &SetState<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let done = done(&update(store, key, set, DONE)?, out);
    Ok(done.unwrap_or_else(|refusal| v1::refuse(&refusal, out)))
}

/// Writes the answer of v1 to an update.
fn done(update: &Update, out: &mut Vec<u8>) -> Result<Status, Refusal> {
    let code = match update {
        Update::NoClient => return Err(Refusal::Nothing(NO_INTEGRATIONS)),
        Update::NotAuthorised => return Err(Refusal::Credentials(NOT_AUTHORISED)),
        Update::Same => 204,
        Update::Changed | Update::Repeated(_) => 200,
    };
    out.clear();
    out.extend_from_slice(DONE);
    Ok(Status::new(code))
}

/// The body of the answer to a successful update.
const DONE: &[u8] = b"[]";
/// The text of v1's 401.
pub(crate) const NOT_AUTHORISED: &str = "Client access not authorised for this API type";
const INVALID_STATE: &str = "Invalid integration state provided";
const FAILED: &str = "Failed to update the integration state";
const NO_OBJECT: &str = "The body must be a JSON object";

/// Converts the error of a step of an update to a refusal.
fn tried<T>(step: Result<T>) -> Result<T, Refusal> {
    step.map_err(|error| match *error {
        Error::IdReused => Refusal::IdReused,
        Error::Synced { .. } => Refusal::from(&*error),
        _ => Refusal::Failed(FAILED.to_owned()),
    })
}

/// Refuses an id that is too long.
fn check_id(key: Option<&IdempotencyKey>) -> Result<(), Refusal> {
    if !key.is_some_and(IdempotencyKey::is_too_long) {
        return Ok(());
    }
    let mut faults = ValidationErrors::default();
    faults.add_message("id", ID_TOO_LONG);
    Err(Refusal::Invalid(faults))
}

/// An error of the whole body.
enum BadBody {
    NoObject,
    /// A member with this name occurs twice.
    Twice(String),
}

/// Returns the unparsed values of the members with these names.
fn members<'a, const N: usize>(
    body: &'a [u8],
    names: [&str; N],
) -> Result<[Option<&'a str>; N], BadBody> {
    let object = std::str::from_utf8(json::without_byte_order_mark(body))
        .ok()
        .and_then(|text| Object::parse(text).ok());
    let Some(Object { members }) = object else {
        return Err(BadBody::NoObject);
    };
    let mut values = [None; N];
    if let Some(name) = twice(members.iter().map(|(name, _)| name)) {
        return Err(BadBody::Twice(shown_name(name).to_owned()));
    }
    for (name, value) in &members {
        for (known, slot) in names.iter().zip(&mut values) {
            if known == name {
                *slot = Some(*value);
            }
        }
    }
    Ok(values)
}

/// Returns the first name that occurs a second time.
fn twice<T: Copy + Eq + Hash>(mut names: impl Iterator<Item = T>) -> Option<T> {
    let mut before = HashSet::new();
    names.find(|name| !before.insert(*name))
}

/// Answers the update in v1 (4.8). If the store fails, the status is 500.
pub(super) fn patch(
    context: &RequestContext<'_>,
    key: Option<&IdempotencyKey>,
    username: &str,
    school: u64,
    body: &[u8],
    out: &mut Vec<u8>,
) -> Result<Status, Refusal> {
    if !tried(is_client(context.store, username, school))? {
        return Err(Refusal::Nothing(NO_INTEGRATIONS));
    }
    let (state, api_type_id) = v1_body(body).map_err(|what| {
        let mut faults = ValidationErrors::default();
        faults.add_message("body", what);
        Refusal::Invalid(faults)
    })?;
    check_id(key)?;
    let set = SetState {
        username,
        school,
        api_type_id,
        state,
    };
    let update = tried(update(context.store, key, &set, DONE))?;
    done(&update, out)
}

/// Parses the state and the API type, or returns the text of the error.
fn v1_body(body: &[u8]) -> Result<(bool, u64), String> {
    let members = members(body, ["state", "api_type_id"]);
    let [state, api_type] = members.map_err(|bad| match bad {
        BadBody::NoObject => NO_OBJECT.to_owned(),
        BadBody::Twice(name) => format!("The body has the name \"{name}\" twice"),
    })?;
    let state = state.and_then(zero_or_one).ok_or(INVALID_STATE)?;
    let api_type = api_type.and_then(integer);
    let api_type = api_type.ok_or("api_type_id must be an unsigned integer")?;
    Ok((state, api_type))
}

fn zero_or_one(written: &str) -> Option<bool> {
    match integer(written)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Answers the update in v2 (section 9, item 7). If the store fails, the status is 500.
pub(super) fn post(
    context: &RequestContext<'_>,
    key: Option<&IdempotencyKey>,
    username: &str,
    body: &[u8],
    out: &mut Vec<u8>,
) -> Result<Status, Refusal> {
    let set = v2_body(body, username).map_err(Refusal::Invalid)?;
    check_id(key)?;
    // The record is read before the change, so that a failure means that nothing was changed.
    let record = context.store.read(|snapshot| {
        let mut record = Vec::new();
        let view = View::new(snapshot, context.now);
        push_client(view, set.school, set.api_type_id, set.state, &mut record)?;
        Ok(record)
    });
    let record = tried(record)?;
    let done = if set.state {
        "activated"
    } else {
        "deactivated"
    };
    let message = format!("Integration successfully {done}");
    let changed = v2::with_data(200, &message, &record, out);
    match tried(update(context.store, key, &set, out))? {
        Update::NoClient | Update::NotAuthorised => Err(Refusal::SchoolNotAuthorised),
        Update::Same => {
            let message = format!("Integration already {done}");
            Ok(v2::with_data(400, &message, &record, out))
        }
        Update::Changed => Ok(changed),
        Update::Repeated(answer) => {
            *out = answer;
            Ok(changed)
        }
    }
}

fn v2_body<'a>(body: &[u8], username: &'a str) -> Result<SetState<'a>, ValidationErrors> {
    let mut faults = ValidationErrors::default();
    let [school, api_type, state] = match members(body, ["school_id", "api_type_id", "state"]) {
        Ok(members) => members,
        Err(bad) => {
            match bad {
                BadBody::NoObject => faults.add_message("body", NO_OBJECT),
                BadBody::Twice(name) => {
                    let what = format!("{name} stands twice in the body");
                    faults.add_message(name, what);
                }
            }
            return Err(faults);
        }
    };
    let state = match state {
        Some("true") => Some(true),
        Some("false") => Some(false),
        state => state.and_then(zero_or_one),
    };
    let mut known = |name: &'static str, wrong: Wrong, number: Option<u64>| {
        if number.is_none() {
            faults.add(name, wrong);
        }
        number.unwrap_or(0)
    };
    let set = SetState {
        username,
        school: known("school_id", Wrong::Id, school.and_then(integer)),
        api_type_id: known("api_type_id", Wrong::Id, api_type.and_then(integer)),
        state: known("state", Wrong::Boolean, state.map(u64::from)) == 1,
    };
    if faults.is_empty() {
        Ok(set)
    } else {
        Err(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::hash::Hasher;

    /// A name that counts how often it is compared.
    #[derive(Clone, Copy, Eq)]
    struct Counted<'a>(usize, &'a Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Hash for Counted<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn each_name_is_compared_a_few_times_regardless_of_their_number() {
        for count in [5_000, 10_000] {
            let compared = Cell::new(0);
            let names = (0..count).map(|name| Counted(name, &compared));
            let found = twice(names.clone().chain(names.clone().take(1)));
            assert_eq!(found.map(|name| name.0), Some(0));
            assert!(twice(names).is_none());
            assert!(compared.get() < count, "{} of {count}", compared.get());
        }
    }

    #[test]
    fn bodies() {
        let object = "The body must be a JSON object";
        let number = "api_type_id must be an unsigned integer";
        for (body, expected) in [
            (r#"{"state":1,"api_type_id":8}"#, Ok((true, 8))),
            (
                r#" {"api_type_id":18446744073709551615,"state":0,"x":[{}]} "#,
                Ok((false, u64::MAX)),
            ),
            (r#"{"st\u0061te":1,"api_type_id":8}"#, Ok((true, 8))),
            ("", Err(object)),
            ("[]", Err(object)),
            ("1", Err(object)),
            (r#"{"state":1,}"#, Err(object)),
            (r#"{"state":1,"api_type_id":8}x"#, Err(object)),
            (r#"{"state":1,"x":"\ud800"}"#, Err(object)),
            (
                r#"{"state":1,"st\u0061te":1}"#,
                Err(r#"The body has the name "state" twice"#),
            ),
            (
                r#"{"state":2,"x\"":1,"x\"":1}"#,
                Err(r#"The body has the name "..." twice"#),
            ),
            ("{}", Err(INVALID_STATE)),
            (r#"{"state":2}"#, Err(INVALID_STATE)),
            (r#"{"state":"1"}"#, Err(INVALID_STATE)),
            (r#"{"state":true}"#, Err(INVALID_STATE)),
            (r#"{"state":1.0}"#, Err(INVALID_STATE)),
            (r#"{"state":1e0}"#, Err(INVALID_STATE)),
            (r#"{"state":-0}"#, Err(INVALID_STATE)),
            (r#"{"state":null,"api_type_id":"x"}"#, Err(INVALID_STATE)),
            (r#"{"state":1}"#, Err(number)),
            (r#"{"state":1,"api_type_id":"8"}"#, Err(number)),
            (r#"{"state":1,"api_type_id":8.0}"#, Err(number)),
            (r#"{"state":1,"api_type_id":-8}"#, Err(number)),
            (
                r#"{"state":1,"api_type_id":18446744073709551616}"#,
                Err(number),
            ),
        ] {
            assert_eq!(
                v1_body(body.as_bytes()),
                expected.map_err(str::to_owned),
                "{body}"
            );
        }
        assert_eq!(v1_body(b"{\"\xff\":1}"), Err(object.to_owned()));
    }
}
