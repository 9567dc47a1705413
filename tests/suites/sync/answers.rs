//! Random schools: data that was fetched is answered with the same bytes at the same instant, in
//! both versions; everything else is refused as predicted.

use super::coverage_model::{self, Asked, Seen};
use super::passes::instant;
use super::{SCHOOL, get, later, source, synced, year_of};
use rollbook::{Answer, Engine, SyncOptions};
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, Cursors, ENDPOINTS, World, blanked};

/// The source and the mirror of a random school.
pub(super) struct School<'a> {
    now: i64,
    pub(super) source: Engine,
    pub(super) mirror: Engine,
    seen: Seen,
    count: &'a Counts,
}

impl<'a> School<'a> {
    /// Returns a source and its mirror, after a pass that fetched these targets.
    pub(super) fn new(
        [source, mirror]: [Engine; 2],
        now: i64,
        read: &[String],
        is_whole: bool,
        count: &'a Counts,
    ) -> School<'a> {
        let asked = read.iter().map(|target| Asked::parse(target, SCHOOL));
        let seen = Seen {
            stored: asked.collect(),
            year: year_of(&source),
            is_whole,
            today: coverage_model::today(now),
        };
        School {
            now,
            source,
            mirror,
            seen,
            count,
        }
    }

    /// Checks that the mirror answers as its source does, or refuses what it need not have fetched.
    /// Returns the answers, unless the request was refused.
    pub(super) fn ask(&self, targets: [&str; 2]) -> Option<[Answer; 2]> {
        let [target, at_source] = targets;
        self.count.add("asked", 1);
        let answer = get(&self.mirror, target, self.now);
        if answer.status.code == 503 {
            let text = answer.text();
            assert!(text.contains("not synced yet: "), "{text}");
            let asked = Asked::parse(target, SCHOOL);
            let is_predicted = self.seen.predicts_refusal(&asked);
            assert!(is_predicted, "{target}: {asked:?}: {text}");
            self.count.add("refusals predicted", 1);
            return None;
        }
        self.count
            .add("found", u64::from(answer.status.code == 200));
        let expected = get(&self.source, at_source, self.now);
        let both = [&answer, &expected].map(|of| (of.status.code, blanked(of.text())));
        assert_eq!(both[0], both[1], "{target}");
        Some([answer, expected])
    }

    /// Requests each page of each collection of v2 in both orders.
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
fn fetched_data_is_answered_as_the_service_does() {
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
        ("refusals predicted", 6 * worlds),
        ("asked later", 30 * worlds),
        ("released since", worlds / 2),
    ] {
        count.at_least(what, floor);
    }
    assert!(count.get("refusals predicted") * 2 < asked, "{count}");
}

fn sync_and_ask(actions: &[Action], count: &Counts) {
    let Some(source) = source(actions) else {
        return;
    };
    let now = instant(actions);
    let (mirror, report, stored) = synced(&source, now, SyncOptions::default());
    assert_eq!(report.unknown, [""; 0]);
    count.add("schools", 1);
    let is_whole = report.failed.is_empty();
    let school = School::new([source, mirror], now, &stored, is_whole, count);
    let gets: Vec<_> = actions.iter().filter_map(Action::question).collect();
    let own = stored.iter().map(String::as_str);
    for target in gets.iter().map(|(target, _)| *target).chain(own) {
        school.ask([target, target]);
    }
    school.walk();
    later::compare(count, (&school.source, &school.mirror), now, &gets);
    assert!(school.mirror.verify().unwrap().is_sound());
}
