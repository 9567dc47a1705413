//! A change under an id of its caller's, told from every other by a digest of
//! whose it is, what is asked, of what, and with which body.

use crate::entropy::Entropy;
use crate::error::{Error, Result};
use crate::record::password::Memory;
use crate::store::Receipt;
use blake2::{Blake2s256, Digest};
use std::fmt::Write;

/// A change that is made once under its id.
pub(crate) struct Change {
    id: String,
    digest: Blake2s256,
    /// The digest as passwords are kept: a body that holds one must not be found
    /// by trying faster than the password itself.
    slow: Option<String>,
}

impl Change {
    /// A change of this kind; its parts are who asks, and of what. A body
    /// follows by [`push`](Self::push).
    pub(crate) fn new(id: &str, kind: &str, parts: &[&[u8]]) -> Change {
        let mut digest = Blake2s256::new();
        for part in [&[kind.as_bytes()], parts].concat() {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Change {
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
        let mark = self.slow.clone().unwrap_or_else(|| self.text());
        Receipt {
            mark: mark.into_bytes(),
            outcome,
        }
    }

    /// What came of the change, if the receipt under its id is its own.
    pub(crate) fn outcome(&self, receipt: Option<Receipt>) -> Result<Option<Vec<u8>>> {
        let Some(Receipt { mark, outcome }) = receipt else {
            return Ok(None);
        };
        let text = self.text();
        let is_own = match std::str::from_utf8(&mark) {
            Ok(slow) if slow.starts_with('$') => Memory::default().verify(&text, slow)?,
            _ => mark == text.as_bytes(),
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

    fn change(kind: &str, parts: &[&[u8]], body: &[u8]) -> Change {
        let mut change = Change::new("id", kind, parts);
        change.push(body);
        change
    }

    fn receipt(change: &Change) -> Receipt {
        change.receipt(b"done".to_vec())
    }

    #[test]
    fn a_change_is_told_from_every_other() {
        let all = [
            change("load", &[], b"ab"),
            change("load", &[], b"a"),
            change("load", &[b"ab"], b""),
            change("load", &[b"a", b"b"], b""),
            change("load", &[b"a"], b"b"),
            change("loada", &[b"b"], b""),
        ];
        for (place, change) in all.iter().enumerate() {
            for (other, made) in all.iter().enumerate() {
                let found = change.outcome(Some(receipt(made)));
                assert_eq!(found.is_ok(), place == other, "{place} and {other}");
            }
        }
        assert_eq!(change("load", &[], b"a").outcome(None), Ok(None));
    }

    #[test]
    fn a_body_in_pieces_is_the_same() {
        let whole = change("load", &[], b"abc");
        let mut pieces = change("load", &[], b"a");
        pieces.push(b"");
        pieces.push(b"bc");
        assert_eq!(receipt(&pieces), receipt(&whole));
    }

    /// Who has the file must not find a password by digests, which are fast.
    #[test]
    fn a_digest_of_a_password_is_kept_like_a_password() -> Result<()> {
        let again = change("load", &[], b"demo");
        let mut first = change("load", &[], b"demo");
        first.slow_down(&Entropy::System)?;
        let Receipt { mark, .. } = first.receipt(Vec::new());
        assert!(mark.starts_with(b"$argon2id$"), "{mark:?}");
        assert_eq!(
            again.outcome(Some(receipt(&first))),
            Ok(Some(b"done".to_vec()))
        );
        let other = change("load", &[], b"dem0").outcome(Some(receipt(&first)));
        assert_eq!(other, Err(Error::IdReused.into()));
        Ok(())
    }
}
