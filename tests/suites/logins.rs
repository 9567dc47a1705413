//! Many wrong logins at once: their memory use, and how long other users wait.
#![allow(clippy::unwrap_used, missing_docs)]

use rollbook::{Answer, Engine, Options, Request};
use rollbook_tests::storage::watchdog::SetOnDrop;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

const THREADS: usize = 64;

/// Returns an engine with three integrators.
fn engine() -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    let known = (0..3).map(|number| {
        format!(
            "{{\"type\":\"integrator\",\"username\":\"known{number}\",\"password\":\"right\"}}\n"
        )
    });
    engine.apply(known.collect::<String>().as_bytes()).unwrap();
    engine
}

fn log_in(engine: &Engine, target: &str, username: &str, password: &str) -> Answer {
    engine.request(&Request {
        target,
        headers: &[("HTTP-X-USERNAME", username), ("HTTP-X-PASSWORD", password)],
        ..Request::default()
    })
}

/// Returns the status of a login: 401, or 404 for a correct password, because there are no clients.
fn status(engine: &Engine, username: &str, password: &str) -> u16 {
    let answer = log_in(engine, "/api/v1/settings/clients", username, password);
    answer.status.code
}

#[cfg(target_os = "linux")]
mod memory {
    use super::*;
    use rollbook_tests::search::extent;
    use rollbook_tests::storage::child;

    /// The limit of the memory that wrong logins use, during and after them.
    const MOST: u64 = 32_000_000;

    fn bytes(name: &str) -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.unwrap().trim_start_matches(':').trim_end_matches("kB");
        kilobytes.trim().parse::<u64>().unwrap() * 1024
    }

    /// Sends thousands of wrong logins. Each password is tried several times, as apps do, and is
    /// hashed the first time.
    fn flood(engine: &Engine) {
        thread::scope(|scope| {
            for number in 0..THREADS {
                scope.spawn(move || {
                    for time in 0..extent(2_000_usize, 10_000).div_ceil(THREADS) {
                        let name = match number % 2 {
                            0 => format!("known{}", time % 3),
                            _ => format!("nobody {number} {}", time / 16),
                        };
                        let wrong = format!("{number} {}", time / 16);
                        assert_eq!(status(engine, &name, &wrong), 401);
                    }
                });
            }
        });
    }

    /// Tries many user names of a megabyte each.
    fn long_names(engine: &Engine) {
        let mut name = "x".repeat(1 << 20);
        for number in 0..300 {
            name.replace_range(..4, &format!("{number:04}"));
            assert_eq!(status(engine, &name, "wrong"), 401);
        }
    }

    fn child() {
        let engine = engine();
        assert_eq!(status(&engine, "known0", "right"), 404);
        let before = bytes("VmRSS");
        let say = |what: &str| {
            let grown = |name| bytes(name).saturating_sub(before);
            child::say(&format!("{what} {} {}", grown("VmRSS"), grown("VmHWM")));
        };
        // Resets the peak.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        long_names(&engine);
        say("names");
        flood(&engine);
        say("flood");
    }

    #[test]
    fn thousands_of_wrong_logins_take_as_much_as_one() {
        if child::task().is_some() {
            return child();
        }
        let test = "logins::memory::thousands_of_wrong_logins_take_as_much_as_one";
        let mut process = child::start(test, "flood");
        let said: Vec<_> = child::lines(process.stdout.take().unwrap()).collect();
        assert!(process.wait().unwrap().success());
        assert_eq!(said.len(), 2, "{said:?}");
        let bytes = |line: &String| {
            let grown = line.split(' ').skip(1);
            grown.map(|bytes| bytes.parse::<u64>().unwrap()).max()
        };
        assert!(said.iter().all(|line| bytes(line) < Some(MOST)), "{said:?}");
    }
}

#[test]
fn a_correct_login_waits_for_few_wrong_ones() {
    let engine = engine();
    let (over, refused) = (AtomicBool::new(false), AtomicUsize::new(0));
    let waited = thread::scope(|scope| {
        let _ended = SetOnDrop(&over);
        for number in 0..48 {
            let (engine, over, refused) = (&engine, &over, &refused);
            scope.spawn(move || {
                // Two user names, one of which exists.
                let name = if number % 2 == 0 { "known0" } else { "nobody" };
                for time in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    status(engine, name, &format!("{number} {time}"));
                    refused.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while refused.load(Ordering::Relaxed) < 48 {
            thread::yield_now();
        }
        ["known1", "known2"].map(|name| {
            let before = refused.load(Ordering::Relaxed);
            assert_eq!(status(&engine, name, "right"), 404);
            refused.load(Ordering::Relaxed) - before
        })
    });
    // The login in progress, one of each name, and some that were counted meanwhile.
    assert!(waited.iter().all(|waited| *waited <= 8), "{waited:?}");
}

#[test]
fn the_queue_is_limited_and_others_are_asked_to_try_again() {
    let engine = engine();
    let together = Barrier::new(100);
    let answers: Vec<_> = thread::scope(|scope| {
        let logins: Vec<_> = (0..100)
            .map(|number| {
                let (engine, together) = (&engine, &together);
                let target = match number % 2 {
                    0 => "/api/v1/settings/clients",
                    _ => "/api/v2/settings/clientintegrations",
                };
                scope.spawn(move || {
                    together.wait();
                    (
                        number,
                        log_in(engine, target, &format!("nobody {number}"), "wrong"),
                    )
                })
            })
            .collect();
        logins
            .into_iter()
            .map(|login| login.join().unwrap())
            .collect()
    });
    let mut crowded = 0;
    for (number, answer) in answers {
        if answer.status.code == 401 {
            continue;
        }
        crowded += 1;
        let text = match number % 2 {
            0 => {
                r#"{"error":"Service Unavailable","error_description":"Too many logins are waiting: try again in a moment"}"#
            }
            _ => {
                r#"{"success":false,"message":"Too many logins are waiting: try again in a moment"}"#
            }
        };
        assert_eq!((answer.status.code, answer.text()), (503, text));
    }
    // 64 logins can wait, and are answered one after the other.
    assert!((1..=36).contains(&crowded), "{crowded}");
    assert_eq!(status(&engine, "known0", "right"), 404);
}

/// Known users wait little even if the queue is always full and no user has logged in since the
/// store was opened.
#[test]
fn known_users_do_not_wait_for_unknown_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let first = Engine::open(&path, Options::default()).unwrap();
    let known = (0..20).map(|number| {
        format!(
            "{{\"type\":\"integrator\",\"username\":\"known{number}\",\"password\":\"right\"}}\n"
        )
    });
    first.apply(known.collect::<String>().as_bytes()).unwrap();
    first.close().unwrap();
    let engine = Engine::open(&path, Options::default()).unwrap();
    let (over, crowded, tried) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let waited: Vec<_> = thread::scope(|scope| {
        let _ended = SetOnDrop(&over);
        for number in 0..100 {
            let (engine, over, crowded, tried) = (&engine, &over, &crowded, &tried);
            scope.spawn(move || {
                for time in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    match status(engine, &format!("nobody {number}"), &format!("{time}")) {
                        503 => crowded.fetch_add(1, Ordering::Relaxed),
                        _ => tried.fetch_add(1, Ordering::Relaxed),
                    };
                    // At most as fast as a network.
                    thread::sleep(std::time::Duration::from_millis(1));
                }
            });
        }
        while tried.load(Ordering::Relaxed) < 10 {
            thread::yield_now();
        }
        let logins = (0..20).map(|number| {
            let before = tried.load(Ordering::Relaxed);
            let status = status(&engine, &format!("known{number}"), "right");
            (status, tried.load(Ordering::Relaxed) - before)
        });
        logins.collect()
    });
    assert!(crowded.into_inner() > 0, "the queue was never full");
    // The login in progress, and others that began before this thread was scheduled.
    let at_once = |(status, waited): &(u16, usize)| *status == 404 && *waited <= 3;
    assert!(waited.iter().all(at_once), "{waited:?}");
}
