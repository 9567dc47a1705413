//! The login with which a synced store is asked over HTTP.

use crate::directory::Directory;
use rollbook::Engine;
use serde_json::{Value, json};
use std::error::Error;

/// The user name of the integrator that is created for a synced store.
const USERNAME: &str = "rollbook";

/// The API types that a store receives if it has none: one for each family.
const API_TYPES: [(u64, &str, &str); 4] = [
    (8, "Admin+ API", "administration"),
    (9, "Curriculum+ API", "curriculum"),
    (10, "Finance+ API", "finance"),
    (11, "Parent API", "parents"),
];

/// A user name and its password.
pub(crate) struct Login {
    pub(crate) username: String,
    pub(crate) password: String,
}

impl Login {
    /// Returns the login of the sample schools.
    pub(crate) fn demo() -> Login {
        Login {
            username: rollbook_sample::USERNAME.to_owned(),
            password: rollbook_sample::PASSWORD.to_owned(),
        }
    }
}

/// Creates an integrator with a random password, if the store has a synced school or will have one,
/// and no integrator of its own. The service sends no integrators, so that without this one every
/// request would be answered with 401. Each call gives it another password, because the store has
/// only a hash of the previous one.
pub(crate) fn create(engine: &Engine, will_sync: bool) -> Result<Option<Login>, Box<dyn Error>> {
    let directory = Directory::read(engine)?;
    let mut has_synced = will_sync;
    for school in &directory.schools {
        has_synced |= engine.synced(*school)?.is_some();
    }
    if !has_synced || has_others(&directory) {
        return Ok(None);
    }
    let password = random_password()?;
    let mut lines = vec![json!({"type": "integrator", "username": USERNAME, "password": password})];
    if directory.api_types.is_empty() {
        lines.extend(API_TYPES.iter().map(|(id, name, family)| {
            json!({"type": "api_type", "api_type_id": id, "api_type": name, "family": family})
        }));
    }
    apply(engine, &lines)?;
    authorise(engine)?;
    Ok(Some(Login {
        username: USERNAME.to_owned(),
        password,
    }))
}

/// Authorises the integrator of [`create`] for all schools that the store now has. Does nothing if
/// the store has other integrators.
pub(crate) fn authorise(engine: &Engine) -> Result<(), Box<dyn Error>> {
    let directory = Directory::read(engine)?;
    if directory.integrators.is_empty() || has_others(&directory) {
        return Ok(());
    }
    let mut lines = Vec::new();
    for school in &directory.schools {
        for api_type in &directory.api_types {
            if !directory.is_authorised(USERNAME, *school, *api_type) {
                lines.push(json!({
                    "type": "client_integration", "username": USERNAME, "school_id": school,
                    "api_type_id": api_type, "state": 1,
                }));
            }
        }
    }
    apply(engine, &lines)
}

/// Returns whether the store has integrators that [`create`] has not created.
fn has_others(directory: &Directory) -> bool {
    directory.integrators.iter().any(|name| name != USERNAME)
}

fn apply(engine: &Engine, records: &[Value]) -> Result<(), Box<dyn Error>> {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    engine.apply(lines.join("\n").as_bytes())?;
    Ok(())
}

fn random_password() -> Result<String, Box<dyn Error>> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:024x}", u128::from_be_bytes(bytes) >> 32))
}
