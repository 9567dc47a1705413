//! The transfer of feeds from a source to its follower: complete, truncated, twice, late and in any
//! order.

use rollbook::{Engine, Error, Scope};
use rollbook_tests::random::Random;

/// The lines of a feed, each with a line feed at its end.
pub(crate) type Lines = Vec<String>;

/// Requests a whole feed.
pub(crate) fn feed(source: &Engine, scope: &Scope, after: Option<&str>) -> Result<Lines, Error> {
    let feed = source.feed(scope, after)?;
    feed.map(|line| Ok(line? + "\n")).collect()
}

/// Applies bytes in chunks of random size.
pub(crate) fn push(dice: &mut Random, follower: &Engine, bytes: &[u8]) -> Result<(), Error> {
    let mut follow = follower.follow();
    let mut rest = bytes;
    while !rest.is_empty() {
        let most = dice.pick(&[1, 40, 400, 40_000]);
        let (piece, after) = rest.split_at(dice.between(1, most).min(rest.len()));
        follow.push(piece)?;
        rest = after;
    }
    follow.finish().map(drop)
}

/// Applies a damaged feed. Any error must be one of two; the follower is checked by later feeds.
pub(crate) fn mangled(dice: &mut Random, follower: &Engine, lines: &[String]) {
    let mut bytes = lines.concat().into_bytes();
    match dice.below(4) {
        0 => bytes.truncate(dice.below(bytes.len() + 1)),
        1 => bytes.extend(lines.concat().bytes()),
        2 => {
            let parts = lines.split_inclusive(|line| line.starts_with(r#"{"type":"end""#));
            let mut parts: Vec<String> = parts.map(<[String]>::concat).collect();
            dice.shuffle(&mut parts);
            bytes = parts.concat().into_bytes();
        }
        _ => {}
    }
    let outcome = push(dice, follower, &bytes);
    if let Err(error) = outcome {
        assert!(
            matches!(error.code(), "out_of_sync" | "bad_dataset"),
            "{error}"
        );
    }
}

/// Brings a follower up to date. Returns the lines that were sent.
pub(crate) fn bring(
    dice: &mut Random,
    source: &Engine,
    follower: &Engine,
    scope: &Scope,
) -> Result<Lines, Error> {
    let after = follower.followed().unwrap();
    let lines = feed(source, scope, after.as_deref())?;
    push(dice, follower, lines.concat().as_bytes())?;
    Ok(lines)
}
