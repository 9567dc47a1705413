//! Checks of credentials and authorisations (section 5 of `integration-api.md`; `decisions.md`,
//! "Access").

use super::answer::{TwinAnswer, not_found, unauthorized};
use super::endpoints::Endpoint;
use super::kinds::Kind;
use super::records::{Key, Part, Record, Store};
use crate::login;

/// Returns the user name, if the two credential headers are those of an integrator. If a header is
/// repeated, the last one counts.
pub(crate) fn integrator(store: &Store, headers: &[(String, Vec<u8>)]) -> Option<String> {
    let header = |name: &str| {
        let named = headers
            .iter()
            .filter(|(header, _)| header.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.clone()).next_back()
    };
    let username = String::from_utf8(header("HTTP-X-USERNAME")?).ok()?;
    let password = header("HTTP-X-PASSWORD")?;
    let key = Key {
        kind: Kind::Integrator,
        parts: vec![Part::Name(username.clone())],
    };
    let known = &store.records.get(&key)?.fields;
    let is_right = match known.get("password") {
        Some(clear) => clear.as_bytes() == password,
        None => login::matches(&password, known.get("password_hash")?),
    };
    is_right.then_some(username)
}

/// Returns the 401 answer to a request with missing or wrong credentials.
pub(crate) fn wrong_credentials(endpoint: &Endpoint, is_update: bool) -> TwinAnswer {
    unauthorized(match endpoint.family {
        _ if is_update => "Client access not authorised for this API type",
        None => "Request not authorised",
        Some(_) => "Client access not authorised",
    })
}

/// Returns the `client_integration` records of an integrator: all, or those of one school.
pub(crate) fn authorisations<'a>(
    store: &'a Store,
    username: &str,
    school: Option<u64>,
) -> impl Iterator<Item = &'a Record> {
    store.all(Kind::ClientIntegration).filter(move |record| {
        record.text("username") == username && school.is_none_or(|id| record.id("school_id") == id)
    })
}

/// Checks that the school has authorised the integrator for some API type. If it has not, the
/// answer is 401, in 4.7 and 4.8 404. Every integrator may read lookups without a school.
pub(crate) fn authorised(
    store: &Store,
    endpoint: &Endpoint,
    username: &str,
    school: Option<u64>,
) -> Result<(), TwinAnswer> {
    let is_lookup = endpoint.last != "school_login_id";
    if is_lookup || authorisations(store, username, school).next().is_some() {
        return Ok(());
    }
    Err(if endpoint.is_settable || school.is_none() {
        not_found(endpoint.none_found)
    } else {
        unauthorized("Client access not authorised")
    })
}

/// Checks that an API type of the family is authorised and in state 1. Otherwise the error is the
/// description of the 403 answer.
pub(crate) fn activated(
    store: &Store,
    username: &str,
    school: u64,
    family: &str,
) -> Result<(), String> {
    let types = || {
        store
            .all(Kind::ApiType)
            .filter(|record| is_of(record, family))
    };
    let active = authorisations(store, username, Some(school)).any(|authorisation| {
        authorisation.text("state") == "1"
            && types().any(|api_type| api_type.id("api_type_id") == authorisation.id("api_type_id"))
    });
    if active {
        return Ok(());
    }
    let lowest = types().min_by_key(|api_type| api_type.id("api_type_id"));
    let name = lowest.map_or_else(
        || default_name(family),
        |api_type| api_type.text("api_type"),
    );
    Err(format!(
        "Please activate the {name} for this client before making this request"
    ))
}

/// Returns whether the family of an API type is this one, or an array that contains it.
fn is_of(api_type: &Record, family: &str) -> bool {
    let named = api_type.text("family");
    named == family || named.contains(&format!("\"{family}\""))
}

fn default_name(family: &str) -> &'static str {
    match family {
        "administration" => "Admin+ API",
        "curriculum" => "Curriculum+ API",
        "finance" => "Finance+ API",
        _ => "Parent API",
    }
}
