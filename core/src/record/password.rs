//! Passwords, kept as salted slow hashes (section 5, "Passwords").

use crate::Entropy;
use crate::error::{Error, Result};
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

/// 8 MiB and three passes: some 20 ms on a desktop, and memory that an old
/// phone has.
const MEMORY_KIB: u32 = 8 * 1024;
const PASSES: u32 = 3;

/// Bounds of a hash that comes in with a dataset, so that checking a password
/// cannot exhaust the device.
const MOST_MEMORY_KIB: u32 = 64 * 1024;
const MOST_PASSES: u32 = 10;
const MOST_LANES: u32 = 4;

/// The PHC string of a password under a fresh salt.
pub(crate) fn hash(password: &str, entropy: &Entropy) -> Result<String> {
    let salt: [u8; 16] = entropy.bytes()?;
    let hashed = argon2().and_then(|argon2| {
        let hash = argon2.hash_password_with_salt(password.as_bytes(), &salt);
        hash.ok().map(|hash: PasswordHash| hash.to_string())
    });
    hashed.ok_or_else(|| Error::unsupported("hashing this password: it is too long"))
}

fn argon2() -> Option<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Whether a password has this hash; compares in constant time.
pub(crate) fn verify(password: &str, hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else {
        return false;
    };
    Argon2::default()
        .verify_password(password.as_bytes(), &hash)
        .is_ok()
}

/// A hash that no password has, to spend the same time on unknown users.
pub(crate) const NOBODY: &str = "$argon2id$v=19$m=8192,t=3,p=1$cm9sbGJvb2stbm9ib2R5$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Whether a hash may come in: Argon2id within bounds. Otherwise says why not.
pub(crate) fn check(hash: &str) -> Result<(), String> {
    let refused = |why: &str| Err(format!("is not an Argon2id hash within bounds: {why}"));
    let Ok(parsed) = PasswordHash::new(hash) else {
        return refused("not a PHC string");
    };
    if parsed.algorithm.as_str() != "argon2id" || parsed.version != Some(19) {
        return refused("give $argon2id$v=19$...");
    }
    let Ok(params) = Params::try_from(&parsed) else {
        return refused("parameters");
    };
    if params.m_cost() > MOST_MEMORY_KIB
        || params.t_cost() > MOST_PASSES
        || params.p_cost() > MOST_LANES
    {
        return refused("at most m=65536, t=10, p=4");
    }
    if parsed.salt.is_none() || parsed.hash.is_none() {
        return refused("salt and hash are needed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_fits_its_password_only_and_has_a_salt_of_its_own() -> Result<()> {
        let entropy = Entropy::system();
        let (one, two) = (hash("demo", &entropy)?, hash("demo", &entropy)?);
        assert!(one != two && verify("demo", &one) && verify("demo", &two));
        assert!(!verify("Demo", &one) && !verify("", &one) && !verify("demo", "demo"));
        assert!(one.starts_with("$argon2id$v=19$m=8192,t=3,p=1$"));
        assert_eq!((check(&one), check(NOBODY)), (Ok(()), Ok(())));
        assert!(!verify("", NOBODY));
        Ok(())
    }

    #[test]
    fn hashes_out_of_bounds_are_refused() -> Result<()> {
        let good = hash("demo", &Entropy::system())?;
        for (from, to) in [
            ("m=8192", "m=65537"),
            ("t=3", "t=11"),
            ("p=1", "p=5"),
            ("argon2id", "argon2i"),
            ("v=19", "v=16"),
            ("$argon2id", "argon2id"),
            ("m=8192", "m=1"),
        ] {
            let bad = good.replace(from, to);
            assert!(check(&bad).is_err(), "{bad}");
        }
        assert!(check("").is_err() && check("demo").is_err());
        Ok(())
    }
}
