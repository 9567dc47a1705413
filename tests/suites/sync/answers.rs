//! Random schools: what was seen is answered with the same bytes at the same instant, by
//! both versions; all else is refused, and foreseen to be.

use super::foreseen::{self, Asked, Seen};
use super::passes::instant;
use super::{SCHOOL, get, later, source, synced, year_of};
use rollbook::{Answer, Engine, SyncOptions};
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, Cursors, ENDPOINTS, World, blanked};

/// A random school: who answers of it, and who has asked there.
pub(super) struct School<'a> {
    now: i64,
    pub(super) source: Engine,
    pub(super) mirror: Engine,
    seen: Seen,
    count: &'a Counts,
}

impl<'a> School<'a> {
    /// A source and its mirror, after a pass that read these targets.
    pub(super) fn new(
        [source, mirror]: [Engine; 2],
        now: i64,
        read: &[String],
        is_whole: bool,
        count: &'a Counts,
    ) -> School<'a> {
        let asked = read.iter().map(|target| Asked::parse(target, SCHOOL));
        let seen = Seen {
            kept: asked.collect(),
            year: year_of(&source),
            is_whole,
            today: foreseen::today(now),
        };
        School {
            now,
            source,
            mirror,
            seen,
            count,
        }
    }

    /// That the mirror answers as its source does, or refuses what it need not have seen.
    /// Gives the answer, unless it was refused.
    pub(super) fn ask(&self, targets: [&str; 2]) -> Option<[Answer; 2]> {
        let [target, at_source] = targets;
        self.count.add("asked", 1);
        let answer = get(&self.mirror, target, self.now);
        if answer.status.code == 503 {
            let text = answer.text();
            assert!(text.contains("not synced yet: "), "{text}");
            let asked = Asked::parse(target, SCHOOL);
            let is_foreseen = self.seen.foresees(&asked);
            assert!(is_foreseen, "{target}: {asked:?}: {text}");
            self.count.add("refusals foreseen", 1);
            return None;
        }
        self.count
            .add("found", u64::from(answer.status.code == 200));
        let expected = get(&self.source, at_source, self.now);
        let both = [&answer, &expected].map(|of| (of.status.code, blanked(of.text())));
        assert_eq!(both[0], both[1], "{target}");
        Some([answer, expected])
    }

    /// Each page of each collection of v2, forwards and backwards.
    fn walk(&self) {
        for endpoint in &ENDPOINTS {
            for query in endpoint.walks {
                for (limit, reverse) in [(1, false), (3, true), (50, false)] {
                    let target = format!(
                        "/api/v2/{}?{query}&limit={limit}&reverse_order={reverse}",
                        endpoint.v2
                    );
                    self.pages(&target);
                }
            }
        }
    }

    fn pages(&self, first: &str) {
        let mut cursors = [Cursors::default(), Cursors::default()];
        let mut target = first.to_owned();
        loop {
            let targets = [0, 1].map(|of| cursors[of].fill(&target));
            let Some(answers) = self.ask([&targets[0], &targets[1]]) else {
                assert!(target == first, "a page and not the next: {target}");
                return;
            };
            self.count.add("pages", 1);
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
    let count = Counts::default();
    let worlds = search(
        seeds(extent(25, 100)),
        |seed| World::new(seed).actions(120),
        |_, actions| {
            sync_and_ask(actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    let asked = count.get("asked");
    for (what, floor) in [
        ("schools", worlds / 3),
        ("asked", 100 * worlds),
        ("found", asked / 5),
        ("pages", 50 * worlds),
        ("refusals foreseen", 6 * worlds),
        ("asked later", 30 * worlds),
        ("released since", worlds / 2),
    ] {
        count.at_least(what, floor);
    }
    assert!(count.get("refusals foreseen") * 2 < asked, "{count}");
}

fn sync_and_ask(actions: &[Action], count: &Counts) {
    let Some(source) = source(actions) else {
        return;
    };
    let now = instant(actions);
    let Some((mirror, report, kept)) = synced(&source, now, SyncOptions::default()) else {
        return;
    };
    assert_eq!(report.unknown, [""; 0]);
    count.add("schools", 1);
    let is_whole = report.failed.is_empty();
    let school = School::new([source, mirror], now, &kept, is_whole, count);
    let gets: Vec<_> = actions.iter().filter_map(Action::question).collect();
    let own = kept.iter().map(String::as_str);
    for target in gets.iter().map(|(target, _)| *target).chain(own) {
        school.ask([target, target]);
    }
    school.walk();
    later::compare(count, (&school.source, &school.mirror), now, &gets);
    assert!(school.mirror.verify().unwrap().is_sound());
}
