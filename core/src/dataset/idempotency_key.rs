//! The key of a change that is made once. It consists of an id that the caller chooses, and a
//! digest of the caller, the kind and the target of the change, and its body.

use crate::entropy::Entropy;
use crate::error::{Error, Result};
use crate::record::values::password::Memory;
use crate::store::IdempotencyRecord;
use blake2::{Blake2s256, Digest};
use std::fmt::Write;

/// Identifies a change that is made once.
pub(crate) struct IdempotencyKey {
    id: String,
    digest: Blake2s256,
    /// The digest, hashed like a password. If the body contains a password, finding it from the
    /// digest must take as long as finding it from the hash of the password.
    slow: Option<String>,
}

impl IdempotencyKey {
    /// Creates the key of a change of this kind. The parts are the caller and the target of the
    /// change. Its body is added with [`push`](Self::push).
    pub(crate) fn new(id: &str, kind: &str, parts: &[&[u8]]) -> IdempotencyKey {
        let mut digest = Blake2s256::new();
        for part in [&[kind.as_bytes()], parts].concat() {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        IdempotencyKey {
            id: id.to_owned(),
            digest,
            slow: None,
        }
    }

    /// Adds the next bytes of the body.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    /// Hashes the digest like a password, because the body contains a password in clear. The body
    /// must be complete.
    pub(crate) fn use_slow_hash(&mut self, entropy: &Entropy) -> Result<()> {
        self.slow = Some(Memory::default().hash(&self.text(), entropy)?);
        Ok(())
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether the id is too long to be stored. No change can be made with such an id.
    pub(crate) fn is_too_long(&self) -> bool {
        self.id.len() > IdempotencyRecord::MAX_ID_BYTES
    }

    /// Returns the idempotency record of the change with its outcome.
    pub(crate) fn idempotency_record(&self, outcome: Vec<u8>) -> IdempotencyRecord {
        let digest = self.slow.clone().unwrap_or_else(|| self.text());
        IdempotencyRecord {
            digest: digest.into_bytes(),
            outcome,
        }
    }

    /// Returns the outcome of the change, if the idempotency record belongs to this change. Fails
    /// if the record belongs to another change.
    pub(crate) fn outcome(
        &self,
        idempotency_record: Option<IdempotencyRecord>,
    ) -> Result<Option<Vec<u8>>> {
        let Some(IdempotencyRecord { digest, outcome }) = idempotency_record else {
            return Ok(None);
        };
        let text = self.text();
        let is_own = match std::str::from_utf8(&digest) {
            Ok(slow) if slow.starts_with('$') => Memory::default().verify(&text, slow)?,
            _ => digest == text.as_bytes(),
        };
        if is_own {
            Ok(Some(outcome))
        } else {
            Err(Error::IdReused.into())
        }
    }

    /// Returns the digest in hexadecimal digits.
    fn text(&self) -> String {
        let digest = self.digest.clone().finalize();
        let mut text = String::with_capacity(64);
        for byte in digest {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kind: &str, parts: &[&[u8]], body: &[u8]) -> IdempotencyKey {
        let mut key = IdempotencyKey::new("id", kind, parts);
        key.push(body);
        key
    }

    fn idempotency_record(key: &IdempotencyKey) -> IdempotencyRecord {
        key.idempotency_record(b"done".to_vec())
    }

    #[test]
    fn a_change_differs_from_every_other() {
        let all = [
            key("load", &[], b"ab"),
            key("load", &[], b"a"),
            key("load", &[b"ab"], b""),
            key("load", &[b"a", b"b"], b""),
            key("load", &[b"a"], b"b"),
            key("loada", &[b"b"], b""),
        ];
        for (index, key) in all.iter().enumerate() {
            for (other, made) in all.iter().enumerate() {
                let found = key.outcome(Some(idempotency_record(made)));
                assert_eq!(found.is_ok(), index == other, "{index} and {other}");
            }
        }
        assert_eq!(key("load", &[], b"a").outcome(None), Ok(None));
    }

    #[test]
    fn a_body_in_pieces_is_the_same() {
        let whole = key("load", &[], b"abc");
        let mut pieces = key("load", &[], b"a");
        pieces.push(b"");
        pieces.push(b"bc");
        assert_eq!(idempotency_record(&pieces), idempotency_record(&whole));
    }

    /// Digests are fast to compute, so that a password could be found in a copy of the file by
    /// trying.
    #[test]
    fn a_digest_of_a_password_is_stored_like_a_password() -> Result<()> {
        let again = key("load", &[], b"demo");
        let mut first = key("load", &[], b"demo");
        first.use_slow_hash(&Entropy::System)?;
        let IdempotencyRecord { digest, .. } = first.idempotency_record(Vec::new());
        assert!(digest.starts_with(b"$argon2id$"), "{digest:?}");
        assert_eq!(
            again.outcome(Some(idempotency_record(&first))),
            Ok(Some(b"done".to_vec()))
        );
        let other = key("load", &[], b"dem0").outcome(Some(idempotency_record(&first)));
        assert_eq!(other, Err(Error::IdReused.into()));
        Ok(())
    }
}
