//! Random schools: what was seen is answered with the same bytes at the same instant, by
//! both versions; all else is refused, and foreseen to be.

use super::foreseen::{self, Asked, Seen};
use super::passes::{instant, seeds};
use super::{SCHOOL, get, later, source, synced, year_of};
use rollbook::{Answer, Engine, SyncOptions};
use rollbook_tests::world::{Action, Cursors, ENDPOINTS, World, blanked};

/// A random school: who answers of it, and who has asked there.
struct School {
    seed: u64,
    now: i64,
    source: Engine,
    mirror: Engine,
    seen: Seen,
}

/// What was asked.
#[derive(Debug, Default)]
struct Tally {
    asked: u64,
    found: u64,
    unseen: u64,
    /// Pages of collections.
    pages: u64,
}

impl School {
    /// That the mirror answers as its source does, or refuses what it need not have seen.
    /// Gives the answer, unless it was refused.
    fn ask(&self, tally: &mut Tally, targets: [&str; 2]) -> Option<[Answer; 2]> {
        let [target, at_source] = targets;
        tally.asked += 1;
        let answer = get(&self.mirror, target, self.now);
        if answer.status.code == 503 {
            let text = answer.text();
            assert!(text.contains("not synced yet: "), "{text}");
            let asked = Asked::of(target, SCHOOL);
            let is_foreseen = self.seen.foresees(&asked);
            assert!(
                is_foreseen,
                "seed {}: {target}: {asked:?}: {text}",
                self.seed
            );
            tally.unseen += 1;
            return None;
        }
        tally.found += u64::from(answer.status.code == 200);
        let expected = get(&self.source, at_source, self.now);
        let both = [&answer, &expected].map(|of| (of.status.code, blanked(of.text())));
        assert_eq!(both[0], both[1], "seed {}: {target}", self.seed);
        Some([answer, expected])
    }

    /// Each page of each collection of v2, forwards and backwards.
    fn walk(&self, tally: &mut Tally) {
        for endpoint in &ENDPOINTS {
            for query in endpoint.walks {
                for (limit, reverse) in [(1, false), (3, true), (50, false)] {
                    let target = format!(
                        "/api/v2/{}?{query}&limit={limit}&reverse_order={reverse}",
                        endpoint.v2
                    );
                    self.pages(tally, &target);
                }
            }
        }
    }

    fn pages(&self, tally: &mut Tally, first: &str) {
        let mut cursors = [Cursors::default(), Cursors::default()];
        let mut target = first.to_owned();
        loop {
            let targets = [0, 1].map(|of| cursors[of].fill(&target));
            let Some(answers) = self.ask(tally, [&targets[0], &targets[1]]) else {
                assert!(target == first, "a page and not the next: {target}");
                return;
            };
            tally.pages += 1;
            for (cursors, answer) in cursors.iter_mut().zip(&answers) {
                cursors.note(answer.text());
            }
            if !answers[0].text().contains(r#""next_cursor":""#) {
                return;
            }
            target = format!("{first}&cursor=<cursor>");
        }
    }
}

#[test]
fn what_was_seen_is_answered_as_the_service_does() {
    let (mut schools, mut tally, mut afterwards) = (0, Tally::default(), later::Tally::default());
    for seed in seeds() {
        let actions = World::new(seed).actions(120);
        let Some(source) = source(&actions) else {
            continue;
        };
        let now = instant(&actions);
        let Some((mirror, report, kept)) = synced(&source, now, SyncOptions::default()) else {
            continue;
        };
        assert_eq!(report.unknown, [""; 0], "seed {seed}");
        schools += 1;
        let asked = kept.iter().map(|target| Asked::of(target, SCHOOL));
        let seen = Seen {
            kept: asked.collect(),
            year: year_of(&source),
            is_whole: report.given_up.is_empty(),
            today: foreseen::today(now),
        };
        let school = School {
            seed,
            now,
            source,
            mirror,
            seen,
        };
        let gets = actions.iter().filter_map(|action| match action {
            Action::Request {
                method,
                target,
                now,
                ..
            } => {
                let is_get = method == "GET" && !target.contains("cursor");
                is_get.then_some((target.as_str(), *now))
            }
            _ => None,
        });
        let gets: Vec<(&str, i64)> = gets.collect();
        let own = kept.iter().map(String::as_str);
        for target in gets.iter().map(|(target, _)| *target).chain(own) {
            school.ask(&mut tally, [target, target]);
        }
        school.walk(&mut tally);
        later::compare(
            &mut afterwards,
            seed,
            (&school.source, &school.mirror),
            now,
            &gets,
        );
        assert!(school.mirror.verify().unwrap().is_sound(), "seed {seed}");
    }
    println!("{schools} schools: {tally:?}; later: {afterwards:?}");
    let Tally {
        asked,
        found,
        unseen,
        ..
    } = tally;
    assert!(found * 5 > asked && unseen * 2 < asked);
    assert!(afterwards.asked > 0 && afterwards.released > 0);
}
