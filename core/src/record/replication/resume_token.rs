//! The resume token: the text by which a follower identifies its position to its source. It is
//! part of a URL, so its length is limited. Long lists of learners are replaced by digests, and
//! so are lists of very many schools.

use super::position::{FollowerPosition, VERSION, cut, take_head};
use super::scope::{Audience, Kinds, Scope, push_ascending, take_numbers};
use crate::error::{Error, Failure, Result};
use crate::store::ChangePosition;
use crate::varint;
use base64ct::{Base64UrlUnpadded, Encoding};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use twox_hash::XxHash3_128;

/// The limit for the bytes of a token, which are 4,000 characters of text. A list that does not
/// fit is replaced by a digest.
const MAX_BYTES: usize = 3000;

/// The position of a follower, as its source reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumeToken {
    pub(crate) change_position: ChangePosition,
    pub(crate) parts: u64,
    pub(crate) is_amid: bool,
    pub(crate) wants_sums: bool,
    kinds: Kinds,
    schools: TokenSchools,
}

/// The schools of a follower.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenSchools {
    Listed(BTreeMap<u64, TokenAudience>),
    /// A digest of all schools and their audiences.
    Digest(u128),
}

/// The learners of a school whose records a follower has.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenAudience {
    Listed(Audience),
    /// A digest of the list of learners.
    Digest(u128),
}

const LISTED: u64 = 0;
const DIGESTED: u64 = 1;

const EVERYBODY: u64 = 0;
const LEARNERS: u64 = 1;
const DIGEST: u64 = 2;

impl ResumeToken {
    /// Reads a token. Returns `None` if a newer version wrote it, and fails if it is not a
    /// token.
    pub(crate) fn from_text(text: &str) -> Result<Option<ResumeToken>> {
        let bytes = decode_text(text)?;
        let mut bytes = bytes.as_slice();
        if bytes.first().is_some_and(|version| *version > VERSION) {
            return Ok(None);
        }
        let head = take_head(&mut bytes)?;
        let kinds = Kinds::decode(&mut bytes)?;
        let schools = match varint::take(&mut bytes)? {
            LISTED => TokenSchools::Listed(take_audiences(&mut bytes)?),
            DIGESTED => TokenSchools::Digest(take_digest(&mut bytes)?),
            _ => return Err(damaged()),
        };
        let token = ResumeToken {
            change_position: head.change_position,
            parts: head.parts,
            is_amid: head.is_amid,
            wants_sums: head.wants_sums,
            kinds,
            schools,
        };
        bytes.is_empty().then_some(Some(token)).ok_or_else(cut)
    }

    /// Replaces a digest of schools by the list of the schools. This is possible if they are
    /// the first schools of the scope, or all of them, so an interrupted feed can be resumed.
    pub(crate) fn resolved(mut self, scope: &Scope) -> ResumeToken {
        if let TokenSchools::Digest(wanted) = self.schools {
            let mut digest = 0;
            let mut schools = BTreeMap::new();
            for (school, whom) in &scope.schools {
                digest = digest_with(digest, *school, whom);
                schools.insert(*school, TokenAudience::Listed(whom.clone()));
                if digest == wanted {
                    self.schools = TokenSchools::Listed(schools);
                    return self;
                }
            }
        }
        self
    }

    /// Returns true if the follower has any school.
    pub(crate) fn has_schools(&self) -> bool {
        match &self.schools {
            TokenSchools::Listed(schools) => !schools.is_empty(),
            TokenSchools::Digest(_) => true,
        }
    }

    /// Returns true if the follower has exactly this scope.
    pub(crate) fn has_scope(&self, scope: &Scope) -> bool {
        let is_same = |(school, whom): (&u64, &Audience)| {
            let change = self.change(*school, scope.kinds, whom);
            change.is_some_and(|change| change.is_none())
        };
        let count = match &self.schools {
            TokenSchools::Listed(schools) => Some(schools.len()),
            TokenSchools::Digest(_) => None,
        };
        self.kinds == scope.kinds
            && count == Some(scope.schools.len())
            && scope.schools.iter().all(is_same)
    }

    /// Returns what a feed must send of a school in addition to its changes, so that the
    /// follower has this audience. Returns `None` if the school must be sent completely.
    pub(crate) fn change(
        &self,
        school: u64,
        kinds: Kinds,
        whom: &Audience,
    ) -> Option<AudienceChange> {
        let TokenSchools::Listed(schools) = &self.schools else {
            return None;
        };
        let before = schools.get(&school).filter(|_| self.kinds == kinds)?;
        let (entering, staying, leaves) = match (before, whom) {
            (TokenAudience::Listed(Audience::Everybody), Audience::Everybody) => {
                (BTreeSet::new(), Audience::Everybody, false)
            }
            (TokenAudience::Listed(Audience::Learners(before)), Audience::Learners(now)) => {
                let staying: BTreeSet<u64> = &**now & &**before;
                let leaves = staying.len() < before.len();
                let entering = &**now - &**before;
                (entering, Audience::Learners(Arc::new(staying)), leaves)
            }
            (TokenAudience::Digest(before), Audience::Learners(now)) if *before == digest(now) => {
                (BTreeSet::new(), whom.clone(), false)
            }
            _ => return None,
        };
        Some(AudienceChange {
            entering,
            staying,
            leaves,
        })
    }
}

/// The change of a school's audience.
pub(crate) struct AudienceChange {
    /// The learners whose records are sent completely, without their earlier changes.
    pub(crate) entering: BTreeSet<u64>,
    /// The learners whose changes are sent.
    pub(crate) staying: Audience,
    /// Whether any learners leave the audience.
    pub(crate) leaves: bool,
}

impl AudienceChange {
    pub(crate) fn is_none(&self) -> bool {
        self.entering.is_empty() && !self.leaves
    }
}

/// Decodes the audiences of schools.
fn take_audiences(bytes: &mut &[u8]) -> Result<BTreeMap<u64, TokenAudience>> {
    let mut schools = BTreeMap::new();
    let mut school = 0_u64;
    for _ in 0..varint::take(bytes)? {
        school = school.wrapping_add(varint::take(bytes)?);
        let audience = match varint::take(bytes)? {
            EVERYBODY => TokenAudience::Listed(Audience::Everybody),
            LEARNERS => TokenAudience::Listed(Audience::Learners(Arc::new(take_numbers(bytes)?))),
            DIGEST => TokenAudience::Digest(take_digest(bytes)?),
            _ => return Err(damaged()),
        };
        schools.insert(school, audience);
    }
    Ok(schools)
}

fn take_digest(bytes: &mut &[u8]) -> Result<u128> {
    let (digest, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    *bytes = rest;
    Ok(u128::from_le_bytes(*digest))
}

fn damaged() -> Failure {
    Error::corrupt("a position is damaged")
}

impl FollowerPosition {
    /// Returns the token for this position, which consists of letters, digits, `-` and `_`.
    pub(crate) fn to_text(&self) -> String {
        let forms = [
            self.listed(usize::MAX),
            self.listed(size_of::<u128>()),
            self.digested(),
        ];
        let short = forms.iter().find(|form| form.len() <= MAX_BYTES);
        encode_text(short.map_or(&[], Vec::as_slice))
    }

    fn begin_token(&self, form: u64) -> Vec<u8> {
        let mut out = Vec::new();
        self.push_head(&mut out);
        self.scope.kinds.encode(&mut out);
        varint::push(&mut out, form);
        out
    }

    /// Returns the token with a list of schools. Lists of learners that are longer than
    /// `longest_list` bytes are replaced by digests.
    fn listed(&self, longest_list: usize) -> Vec<u8> {
        let mut out = self.begin_token(LISTED);
        varint::push(&mut out, self.scope.schools.len() as u64);
        let mut last = 0;
        for (school, whom) in &self.scope.schools {
            // The token is already too long.
            if out.len() > MAX_BYTES {
                break;
            }
            varint::push(&mut out, school.wrapping_sub(last));
            last = *school;
            let Audience::Learners(learners) = whom else {
                varint::push(&mut out, EVERYBODY);
                continue;
            };
            let list = encoded(learners);
            if list.len() > longest_list {
                varint::push(&mut out, DIGEST);
                out.extend_from_slice(&digest(learners).to_le_bytes());
            } else {
                varint::push(&mut out, LEARNERS);
                out.extend_from_slice(&list);
            }
        }
        out
    }

    /// Returns the token with a digest of all schools.
    fn digested(&self) -> Vec<u8> {
        let mut out = self.begin_token(DIGESTED);
        let schools = self.scope.schools.iter();
        let digest = schools.fold(0, |digest, (school, whom)| {
            digest_with(digest, *school, whom)
        });
        out.extend_from_slice(&digest.to_le_bytes());
        out
    }
}

/// Returns the digest of some schools and one more.
fn digest_with(before: u128, school: u64, whom: &Audience) -> u128 {
    let mut bytes = before.to_le_bytes().to_vec();
    varint::push(&mut bytes, school);
    if let Audience::Learners(learners) = whom {
        bytes.extend_from_slice(&digest(learners).to_le_bytes());
    }
    XxHash3_128::oneshot(&bytes)
}

fn encoded(learners: &BTreeSet<u64>) -> Vec<u8> {
    let mut list = Vec::new();
    push_ascending(&mut list, learners.iter());
    list
}

fn digest(learners: &BTreeSet<u64>) -> u128 {
    XxHash3_128::oneshot(&encoded(learners))
}

/// Encodes bytes as text of letters, digits, `-` and `_`.
pub(crate) fn encode_text(bytes: &[u8]) -> String {
    let mut letters = vec![0; Base64UrlUnpadded::encoded_len(bytes)];
    let text = Base64UrlUnpadded::encode(bytes, &mut letters);
    text.unwrap_or_default().to_owned()
}

pub(crate) fn decode_text(text: &str) -> Result<Vec<u8>> {
    let mut bytes = vec![0; text.len()];
    let decoded = Base64UrlUnpadded::decode(text, &mut bytes).map_err(|_| cut())?;
    let length = decoded.len();
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use crate::record::replication::resume_token::*;

    fn position(scope: Scope) -> FollowerPosition {
        FollowerPosition {
            change_position: ChangePosition {
                incarnation: u64::MAX - 1,
                sequence: 300,
            },
            parts: 1000,
            scope,
            is_incomplete: true,
            wants_checksums: false,
        }
    }

    fn read(text: &str) -> Result<ResumeToken> {
        ResumeToken::from_text(text)?.ok_or_else(damaged)
    }

    #[test]
    fn a_token_contains_its_position() -> Result<()> {
        let scope = Scope::default()
            .learners(1000, [1, 2])
            .school(u64::MAX)
            .learners(7, []);
        let position = position(scope.clone());
        let text = position.to_text();
        assert!(text.len() < 60, "{text}");
        let token = read(&text)?;
        assert_eq!(token.change_position, position.change_position);
        assert!(token.parts == 1000 && token.has_scope(&scope));
        assert!(token.is_amid && !token.wants_sums);
        for other in [
            scope.clone().learners(1000, [3]),
            scope.clone().school(8),
            Scope::default().learners(1000, [1, 2]),
            Scope::default(),
        ] {
            assert!(!token.has_scope(&other), "{other:?}");
        }
        for bad in ["", "AA", "****", &text[..40], &format!("{text}AAAA")] {
            assert!(ResumeToken::from_text(bad).is_err(), "{bad}");
        }
        assert_eq!(ResumeToken::from_text("AgAA").ok(), Some(None));
        let mut bytes = decode_text(&text).unwrap_or_default();
        while bytes.pop().is_some() {
            assert!(ResumeToken::from_text(&encode_text(&bytes)).is_err());
        }
        Ok(())
    }

    #[test]
    fn a_token_of_many_learners_is_short_and_distinguishes_them_from_others() -> Result<()> {
        let ids = (0..10_000).map(|id| id * 1_000_003);
        let scope = Scope::default().learners(1, ids).learners(2, [5]);
        let text = position(scope.clone()).to_text();
        assert!(text.len() < 80, "{text}");
        let token = read(&text)?;
        assert!(token.has_scope(&scope));
        let change = |scope: &Scope, school| {
            let whom = scope.audience(school)?;
            token.change(school, scope.kinds, whom)
        };
        // If the learners of a school are not listed, it is unknown who enters.
        let other = scope.clone().learners(1, [7]).learners(2, [6]);
        assert!(change(&scope, 1).is_some_and(|change| change.is_none()));
        assert!(change(&other, 1).is_none());
        let of_other = change(&other, 2);
        assert!(of_other.is_some_and(|change| change.entering == [6].into() && !change.leaves));
        Ok(())
    }

    #[test]
    fn a_token_of_many_schools_is_short_and_shows_the_progress_of_a_feed() {
        let scope = (0..5000).fold(Scope::default(), |scope, school| match school % 3 {
            0 => scope.school(school),
            _ => scope.learners(school, [1, school]),
        });
        let token = |stored: &Scope, scope: &Scope| {
            let text = position(stored.clone()).to_text();
            assert!(text.len() <= 4000, "{}", text.len());
            let token = ResumeToken::from_text(&text).ok().flatten();
            token.map(|token| token.resolved(scope))
        };
        let is_same = |stored: &Scope, scope: &Scope, school: u64| {
            let change = scope
                .audience(school)
                .and_then(|whom| token(stored, scope)?.change(school, scope.kinds, whom));
            change.is_some_and(|change| change.is_none())
        };
        assert!(token(&scope, &scope).is_some_and(|token| token.has_scope(&scope)));
        assert!(is_same(&scope, &scope, 4999));
        let mut half = scope.clone();
        half.schools.retain(|school, _| *school < 2500);
        assert!(is_same(&half, &scope, 2499) && !is_same(&half, &scope, 2500));
        assert!(token(&half, &scope).is_some_and(|token| !token.has_scope(&scope)));
        // A digest that matches no prefix of the scope cannot be resolved.
        let other = scope.clone().learners(7, [2]);
        assert!(!is_same(&other, &scope, 1) && !is_same(&scope, &half, 1));
        assert!(token(&other, &scope).is_some_and(|token| token.has_schools()));
    }
}
