//! The schools of a store, and the records that determine who may ask about them.

use rollbook::{Credentials, Engine};
use serde_json::Value;
use std::collections::BTreeSet;
use std::error::Error;

/// The schools of a store, its API types, and its integrators.
#[derive(Default)]
pub(crate) struct Directory {
    pub(crate) schools: BTreeSet<u64>,
    pub(crate) api_types: BTreeSet<u64>,
    pub(crate) integrators: BTreeSet<String>,
    /// The user names, schools and API types of the client integrations.
    integrations: BTreeSet<(String, u64, u64)>,
}

impl Directory {
    /// Reads the start of an export, which has these records before all other ones.
    pub(crate) fn read(engine: &Engine) -> Result<Directory, Box<dyn Error>> {
        let mut directory = Directory::default();
        for line in engine.export(Credentials::Keep)? {
            let record: Value = serde_json::from_str(&line?)?;
            let number = |name: &str| record.get(name).and_then(Value::as_u64).unwrap_or(0);
            let username = record.get("username").and_then(Value::as_str);
            let username = username.unwrap_or_default().to_owned();
            let (school, api_type) = (number("school_id"), number("api_type_id"));
            let _ = match record.get("type").and_then(Value::as_str) {
                Some("school") => directory.schools.insert(school),
                Some("api_type") => directory.api_types.insert(api_type),
                Some("integrator") => directory.integrators.insert(username),
                Some("client_integration") => {
                    directory.integrations.insert((username, school, api_type))
                }
                _ => break,
            };
        }
        Ok(directory)
    }

    /// Returns whether the store has a client integration, in any state.
    pub(crate) fn is_authorised(&self, username: &str, school: u64, api_type: u64) -> bool {
        let key = (username.to_owned(), school, api_type);
        self.integrations.contains(&key)
    }
}
