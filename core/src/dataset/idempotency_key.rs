//! The key of a change that is made once: an id of its caller's, and a digest of whose
//! the change is, what is asked, of what, and with which body.

use crate::entropy::Entropy;
use crate::error::{Error, Result};
use crate::record::password::Memory;
use crate::store::Receipt;
use blake2::{Blake2s256, Digest};
use std::fmt::Write;

/// Tells a change that is made once under its id from every other.
pub(crate) struct IdempotencyKey {
    id: String,
    digest: Blake2s256,
    /// The digest as passwords are kept: a body that holds one must not be found
    /// by trying faster than the password itself.
    slow: Option<String>,
}

impl IdempotencyKey {
    /// The key of a change of this kind; its parts are who asks, and of what. A body
    /// follows by [`push`](Self::push).
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

    /// Notes that the body, which is whole, holds a password in clear.
    pub(crate) fn slow_down(&mut self, entropy: &Entropy) -> Result<()> {
        self.slow = Some(Memory::default().hash(&self.text(), entropy)?);
        Ok(())
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The receipt of the change, of which this came.
    pub(crate) fn receipt(&self, outcome: Vec<u8>) -> Receipt {
        let digest = self.slow.clone().unwrap_or_else(|| self.text());
        Receipt {
            digest: digest.into_bytes(),
            outcome,
        }
    }

    /// What came of the change, if the receipt under its id is its own.
    pub(crate) fn outcome(&self, receipt: Option<Receipt>) -> Result<Option<Vec<u8>>> {
        let Some(Receipt { digest, outcome }) = receipt else {
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

    /// The digest in hexadecimal digits.
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

    fn receipt(key: &IdempotencyKey) -> Receipt {
        key.receipt(b"done".to_vec())
    }

    #[test]
    fn a_change_is_told_from_every_other() {
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
                let found = key.outcome(Some(receipt(made)));
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
        assert_eq!(receipt(&pieces), receipt(&whole));
    }

    /// Who has the file must not find a password by digests, which are fast.
    #[test]
    fn a_digest_of_a_password_is_kept_like_a_password() -> Result<()> {
        let again = key("load", &[], b"demo");
        let mut first = key("load", &[], b"demo");
        first.slow_down(&Entropy::System)?;
        let Receipt { digest, .. } = first.receipt(Vec::new());
        assert!(digest.starts_with(b"$argon2id$"), "{digest:?}");
        assert_eq!(
            again.outcome(Some(receipt(&first))),
            Ok(Some(b"done".to_vec()))
        );
        let other = key("load", &[], b"dem0").outcome(Some(receipt(&first)));
        assert_eq!(other, Err(Error::IdReused.into()));
        Ok(())
    }
}
