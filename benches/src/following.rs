//! Measures followers: the cost of a feed without a position compared with an export, and the cost
//! of sending one mark to a device.

use crate::changes::Change;
use crate::spread::{Spread, timed};
use anyhow::{Context as _, Result, ensure};
use rollbook::{Credentials, Engine, Options, Scope};
use rollbook_tests::sample::SampleSchool;
use serde_json::Value;
use std::path::Path;

/// An operation that was done many times.
#[derive(Debug, Clone)]
pub struct FollowingCost {
    /// The name of the operation.
    pub name: &'static str,
    /// The times of the operation in seconds.
    pub times: Spread,
    /// The number of bytes that it produced, if any.
    pub bytes: u64,
}

/// Measures a server with this number of learners, a device that follows one of them, and one that
/// follows all. `folder` must not contain files of an earlier measurement.
pub fn measure(learners: u32, folder: &Path, rounds: usize) -> Result<Vec<FollowingCost>> {
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    let server = Engine::open(folder.join("server.redb"), Options::default())?;
    server.apply(school.reader())?;
    let one = Scope::default().learners(school.school_id, [marked(&school)?]);
    let all = Scope::default().school(school.school_id);
    let mut rows = Vec::new();
    let few = rounds.div_ceil(20);
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..few {
        let (lines, took) = timed(|| -> Result<u64> {
            lengths(server.export(Credentials::LeaveOut)?.map(|line| Ok(line?)))
        });
        bytes = lines?;
        times.push(took);
    }
    rows.push(row("an export of all", times, bytes));
    for (name, scope, times) in [
        ("a feed of all, from nothing", &all, few),
        ("a feed of one learner, from nothing", &one, rounds),
    ] {
        rows.push(feeds(name, &server, scope, times)?);
    }
    let phone = Engine::open(folder.join("phone.redb"), Options::default())?;
    catch_up(&server, &one, &phone)?;
    let tablet = Engine::open(folder.join("tablet.redb"), Options::default())?;
    catch_up(&server, &all, &tablet)?;
    let changes = Change::for_school(&school)?;
    let mark = changes.first().context("a change")?;
    for (names, scope, device) in [
        (
            [
                "one change: its feed, for one learner",
                "taking it, durably",
            ],
            &one,
            &phone,
        ),
        (
            ["one change: its feed, for the school", "taking it, durably"],
            &all,
            &tablet,
        ),
    ] {
        let (mut made, mut taken, mut most) = (Vec::new(), Vec::new(), 0);
        for round in 0..rounds {
            mark.write(&server, round)?;
            let after = device.followed()?;
            let (lines, took) = timed(|| -> Result<Vec<u8>> {
                let mut lines = Vec::new();
                for line in server.feed(scope, after.as_deref())? {
                    lines.extend_from_slice(line?.as_bytes());
                    lines.push(b'\n');
                }
                Ok(lines)
            });
            let lines = lines?;
            made.push(took);
            most = most.max(lines.len() as u64);
            let (followed, took) = timed(|| -> Result<()> {
                let mut follow = device.follow();
                follow.push(&lines)?;
                follow.finish()?;
                Ok(())
            });
            followed?;
            taken.push(took);
        }
        let [made_of, taken_of] = names;
        rows.push(row(made_of, made, most));
        rows.push(row(taken_of, taken, most));
    }
    Ok(rows)
}

/// Returns the learner whose mark is changed.
fn marked(school: &SampleSchool) -> Result<u64> {
    let mut marks = school
        .lines()
        .filter(|line| line.starts_with(r#"{"type":"mark","#));
    let mark: Value = serde_json::from_str(&marks.next().context("a mark")?)?;
    mark.get("learner_id")
        .and_then(Value::as_u64)
        .context("a learner")
}

fn row(name: &'static str, times: Vec<std::time::Duration>, bytes: u64) -> FollowingCost {
    FollowingCost {
        name,
        times: Spread::new(times),
        bytes,
    }
}

fn feeds(
    name: &'static str,
    server: &Engine,
    scope: &Scope,
    rounds: usize,
) -> Result<FollowingCost> {
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..rounds {
        let (lines, took) =
            timed(|| -> Result<u64> { lengths(server.feed(scope, None)?.map(|line| Ok(line?))) });
        bytes = lines?;
        times.push(took);
    }
    Ok(row(name, times, bytes))
}

/// Returns the number of bytes of lines, including line feeds.
fn lengths(mut lines: impl Iterator<Item = Result<String>>) -> Result<u64> {
    lines.try_fold(0, |sum, line| Ok(sum + line?.len() as u64 + 1))
}

fn catch_up(server: &Engine, scope: &Scope, device: &Engine) -> Result<()> {
    let mut follow = device.follow();
    for line in server.feed(scope, None)? {
        follow.push(format!("{}\n", line?).as_bytes())?;
    }
    let added = follow.finish()?.total().added;
    ensure!(added > 0, "the device has nothing");
    Ok(())
}
