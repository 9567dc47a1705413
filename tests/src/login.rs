//! Logins that take almost no time, for tests that do not test passwords.

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

/// Replaces each password of a dataset by its hash, with the lowest cost that Argon2 permits. A
/// password in clear takes tens of milliseconds to load, and the same again at the first login.
pub fn quick(dataset: &str) -> String {
    let hashed = |part: &str| {
        let (password, rest) = part.split_once('"').unwrap();
        assert!(!password.contains('\\'), "{password} is not plain text");
        format!("\"password_hash\":\"{}\"{rest}", hash(password))
    };
    let mut parts = dataset.split("\"password\":\"");
    let before = parts.next().unwrap_or_default().to_owned();
    before + &parts.map(hashed).collect::<String>()
}

/// Returns a hash with the lowest cost.
pub(crate) fn hash(password: &str) -> String {
    let params = Params::new(Params::MIN_M_COST, Params::MIN_T_COST, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash: argon2::password_hash::phc::PasswordHash = argon2
        .hash_password_with_salt(password.as_bytes(), b"rollbook-tests")
        .unwrap();
    hash.to_string()
}

/// Returns whether a hash was made from a password.
pub(crate) fn matches(password: &[u8], hash: &str) -> bool {
    let hash = argon2::password_hash::phc::PasswordHash::new(hash);
    hash.is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok())
}
