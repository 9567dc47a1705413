//! The state update: whether an integrator serves a client (4.8).

use super::request::Status;
use super::v1;
use crate::Result;
use crate::json::Object;
use crate::query;
use crate::record::integrator;
use crate::record::value::integer;
use crate::store::{Reader, Store};

/// The state update (4.8): whether the integrator serves a school's API type.
///
/// Answers 200 if the state was changed, 204 if it was so already; the body is
/// `[]` both times.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, SetState};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"school","school_id":1,"current_year":2026}
/// {"type":"client_integration","username":"demo","school_id":1,"api_type_id":8}"#.as_bytes())?;
/// let on = SetState { username: "demo", school: 1, api_type_id: 8, state: 1 };
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
    /// 1 if the integrator serves it, 0 if not.
    pub state: u64,
}

const INVALID_STATE: &str = "Invalid integration state provided";

/// What a body asks for; or the text of its fault.
fn read_body(body: &[u8]) -> Result<(u64, u64), String> {
    let object = std::str::from_utf8(body)
        .ok()
        .and_then(|text| Object::parse(text).ok());
    let Some(Object { members }) = object else {
        return Err("The body must be a JSON object".to_owned());
    };
    let (mut state, mut api_type) = (None, None);
    for (place, (name, value)) in members.iter().enumerate() {
        if members.iter().take(place).any(|(before, _)| before == name) {
            return Err(format!("The body has the name \"{name}\" twice"));
        }
        match name.as_ref() {
            "state" => state = integer(value.get()),
            "api_type_id" => api_type = integer(value.get()),
            _ => {}
        }
    }
    let state = state.filter(|state| *state < 2).ok_or(INVALID_STATE)?;
    let api_type = api_type.ok_or("api_type_id must be an unsigned integer")?;
    Ok((state, api_type))
}

/// The update as a request asks for it. A store that fails is a 500.
pub(super) fn patch(
    store: &Store,
    username: &str,
    school: u64,
    body: &[u8],
    out: &mut Vec<u8>,
) -> Status {
    let mut update = || {
        if !is_client(store, username, school)? {
            return Ok(v1::not_found(v1::SET_STATE.nothing, out));
        }
        match read_body(body) {
            Ok((state, api_type_id)) => {
                let set = SetState {
                    username,
                    school,
                    api_type_id,
                    state,
                };
                set_state(store, &set, out)
            }
            Err(what) => Ok(v1::bad_request(&what, out)),
        }
    };
    let updated: Result<Status> = update();
    updated.unwrap_or_else(|_| v1::internal_error("Failed to update the integration state", out))
}

fn is_client(store: &Store, username: &str, school: u64) -> Result<bool> {
    store.read(|snapshot| {
        let user = query::user(snapshot, username)?;
        Ok(!user.clients_of(school).is_empty())
    })
}

/// The update through the typed door.
pub(crate) fn set_state(store: &Store, set: &SetState<'_>, out: &mut Vec<u8>) -> Result<Status> {
    out.clear();
    if !is_client(store, set.username, set.school)? {
        return Ok(v1::not_found(v1::SET_STATE.nothing, out));
    }
    if set.state > 1 {
        return Ok(v1::bad_request(INVALID_STATE, out));
    }
    let key = integrator::authorisation_key(set.username, set.school, set.api_type_id);
    let row = vec![u8::from(set.state == 1)];
    // Most updates that change nothing need no transaction to find that out.
    let kept = store.read(|snapshot| snapshot.integrator_row(&key))?;
    let before = if kept.as_ref() == Some(&row) {
        kept
    } else {
        store.write(|write| {
            let before = write.integrator_row(&key)?;
            if before.is_some() && before.as_ref() != Some(&row) {
                write.put_integrator_row(&key, &row)?;
            }
            Ok(before)
        })?
    };
    let code = match before {
        None => return Ok(v1::unauthorised(v1::SET_STATE.refused, out)),
        Some(before) if before == row => 204,
        Some(_) => 200,
    };
    out.extend_from_slice(b"[]");
    Ok(Status::of(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies() {
        let object = "The body must be a JSON object";
        let number = "api_type_id must be an unsigned integer";
        for (body, expected) in [
            (r#"{"state":1,"api_type_id":8}"#, Ok((1, 8))),
            (
                r#" {"api_type_id":18446744073709551615,"state":0,"x":[{}]} "#,
                Ok((0, u64::MAX)),
            ),
            (r#"{"st\u0061te":1,"api_type_id":8}"#, Ok((1, 8))),
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
                Err(r#"The body has the name "x"" twice"#),
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
                read_body(body.as_bytes()),
                expected.map_err(str::to_owned),
                "{body}"
            );
        }
        assert_eq!(read_body(b"{\"\xff\":1}"), Err(object.to_owned()));
    }
}
