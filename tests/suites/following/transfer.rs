//! What goes from a source to its follower: whole, cut, twice, late and in any order.

use rollbook::{Engine, Error, Scope};
use rollbook_tests::random::Random;

/// The lines of a feed, each ended by a line feed.
pub(crate) type Lines = Vec<String>;

/// Asks for a feed.
pub(crate) fn feed(source: &Engine, scope: &Scope, after: Option<&str>) -> Result<Lines, Error> {
    let feed = source.feed(scope, after)?;
    feed.map(|line| Ok(line? + "\n")).collect()
}

/// Pushes bytes in pieces of random size.
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

/// Whatever comes of it, the follower is where it was or further.
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

/// Brings a follower to now; returns what was sent.
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
