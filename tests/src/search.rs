//! Searches through random worlds: the extent of a search, its counters, and the changes that a
//! failing world needs.

use crate::shrink::{Change, shrunk};
use crate::storage::watchdog::Watchdog;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

/// The time after which a world counts as hanging, and the maximum time for shrinking a failing
/// world.
const WORLD: Duration = Duration::from_secs(300);
const SHRINKING: Duration = Duration::from_secs(120);

/// Returns `whole` if `ROLLBOOK_SEARCH` is `whole`, as in `tests/run long`, and otherwise `sample`.
pub fn extent<T>(sample: T, whole: T) -> T {
    match std::env::var("ROLLBOOK_SEARCH").as_deref() {
        Ok("whole") => whole,
        _ => sample,
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Returns the seed of the first attempt: `ROLLBOOK_SEED`, or 0. `tests/run long` derives one from
/// the committed sources.
pub fn first_seed() -> u64 {
    number("ROLLBOOK_SEED").unwrap_or(0)
}

/// Returns the seeds of a search, beginning with the first seed. Their number is the extent, or
/// `ROLLBOOK_SEQUENCES` if it is set.
pub fn seeds(extent: u64) -> std::ops::Range<u64> {
    let first = first_seed();
    first..first + number("ROLLBOOK_SEQUENCES").unwrap_or(extent)
}

/// Runs this number of attempts in two threads, and returns the failures, each with its seed. A
/// panic is a failure. An attempt that hangs ends the process.
pub fn failures(attempts: u64, attempt: impl Fn(u64) -> Result<(), String> + Sync) -> Vec<String> {
    let first = first_seed();
    let failures = failures_of((first..first + attempts).collect(), attempt).into_iter();
    failures
        .map(|(seed, failure)| format!("attempt {seed}: {failure}"))
        .collect()
}

/// Runs an attempt for each case in two threads, and returns the failures, each with its case.
pub fn failing<T: Debug + Sync>(
    cases: &[T],
    attempt: impl Fn(&T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let places = (0..cases.len() as u64).collect();
    let at = |place: u64| &cases[usize::try_from(place).unwrap()];
    let failures = failures_of(places, |place| attempt(at(place))).into_iter();
    failures
        .map(|(place, failure)| format!("{:?}: {failure}", at(place)))
        .collect()
}

fn failures_of(
    seeds: Vec<u64>,
    attempt: impl Fn(u64) -> Result<(), String> + Sync,
) -> BTreeMap<u64, String> {
    assert!(
        !seeds.is_empty(),
        "a search without an attempt finds nothing"
    );
    let next = Mutex::new(seeds.into_iter());
    let failures = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            let seed = next.lock().unwrap().next();
            let Some(seed) = seed else {
                return;
            };
            if let Err(failure) = caught(format!("attempt {seed}"), || attempt(seed)) {
                failures.lock().unwrap().insert(seed, failure);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    failures.into_inner().unwrap()
}

/// Runs an attempt. A panic becomes a failure.
fn caught(what: String, attempt: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let _dog = Watchdog::over(what, WORLD);
    let outcome = catch_unwind(AssertUnwindSafe(attempt));
    outcome.unwrap_or_else(|panic| Err(said(&*panic)))
}

/// Returns the text of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

/// Runs the changes of the world of each seed, and returns the number of worlds.
///
/// # Panics
/// If a world fails. The message contains the seeds of all failing worlds, and the changes of the
/// first one that its failure needs.
pub fn search<C: Change + Debug>(
    seeds: impl IntoIterator<Item = u64>,
    changes: impl Fn(u64) -> Vec<C> + Sync,
    run: impl Fn(u64, &[C]) -> Result<(), String> + Sync,
) -> u64 {
    let seeds: Vec<u64> = seeds.into_iter().collect();
    let worlds = seeds.len() as u64;
    let failed = failures_of(seeds, |seed| run(seed, &changes(seed)));
    let Some((seed, what)) = failed.first_key_value() else {
        return worlds;
    };
    let attempt = |changes: &[C]| caught(format!("shrinking {seed}"), || run(*seed, changes));
    let all = changes(*seed);
    let count = all.len();
    let least = shrunk(all, SHRINKING, |changes| attempt(changes).is_err());
    let least_what = attempt(&least);
    let seeds: Vec<u64> = failed.keys().copied().collect();
    panic!(
        "{} of {worlds} worlds fail, those of the seeds {seeds:?}.\n\
         Seed {seed} (ROLLBOOK_SEED={seed} ROLLBOOK_SEQUENCES=1): {what}\n\n\
         Of its {count} changes it needs {}:\n{}\n{least_what:?}",
        seeds.len(),
        least.len(),
        listed(&least)
    );
}

/// Returns the changes, one per line.
fn listed<C: Debug>(changes: &[C]) -> String {
    let changes = changes.iter().map(|change| format!("    {change:?}"));
    changes.collect::<Vec<_>>().join("\n")
}

/// The counters of a search, by name, such as the number of compared worlds or answered questions.
#[derive(Default)]
pub struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Counts {
    /// Adds to a counter.
    pub fn add(&self, what: &'static str, count: u64) {
        *self.0.lock().unwrap().entry(what).or_default() += count;
    }

    /// Returns the value of a counter.
    pub fn get(&self, what: &str) -> u64 {
        self.0.lock().unwrap().get(what).copied().unwrap_or(0)
    }

    /// Fails if a counter is below `floor`, because a search that tried nothing must not pass. The
    /// check is omitted if `ROLLBOOK_SEQUENCES` is set, because then only a few worlds are
    /// repeated.
    pub fn at_least(&self, what: &str, floor: u64) {
        let count = self.get(what);
        let is_enough = count >= floor || number("ROLLBOOK_SEQUENCES").is_some();
        assert!(is_enough, "only {count} {what}, and not {floor}: {self}");
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.lock().unwrap();
        let counts: Vec<String> = counts
            .iter()
            .map(|(what, n)| format!("{n} {what}"))
            .collect();
        f.write_str(&counts.join(", "))
    }
}
