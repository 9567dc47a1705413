//! Opens what power cuts leave of a store, and checks its content.

use super::disk::Disk;
use super::images::{Cut, Window, windows};
use super::recorder::{Entry, Recorder};
use super::requests::export;
use super::scenario::options;
use redb::{Database, DatabaseError, RepairSession};
use rollbook::{Engine, Options};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A change of a store, which must succeed.
pub type Operation<'a> = Box<dyn FnOnce(&Engine) + 'a>;

/// The history of a store: the log of its disk, and the export after each of its operations.
pub struct Life {
    /// The bytes of the disk before the first operation.
    pub before: Vec<u8>,
    /// The changes of the disk.
    pub log: Vec<Entry>,
    /// The export before the first operation, and after each operation.
    pub exports: Vec<String>,
}

impl Life {
    /// Opens a store on these bytes, which is the first operation, runs the other operations, and
    /// closes it, which is the last operation. `export_before` is the export of the original store.
    pub fn record(
        before: Vec<u8>,
        export_before: String,
        options: Options,
        operations: Vec<Operation<'_>>,
    ) -> Life {
        let recorder = Recorder::on(before.clone());
        let opened = recorder.operation(|| Engine::open_with_backend(recorder.clone(), options));
        let engine = opened.unwrap();
        let mut exports = vec![export_before, export(&engine).unwrap()];
        for operation in operations {
            recorder.operation(|| operation(&engine));
            exports.push(export(&engine).unwrap());
        }
        recorder.operation(|| engine.close().unwrap());
        exports.extend(exports.last().cloned());
        Life {
            before,
            log: recorder.entries(),
            exports,
        }
    }

    /// Opens the images of each window. [`Window::cuts`] describes the parameters.
    pub fn cut_everywhere(&self, seeds: u64, most: usize) -> Cuts {
        let windows = windows(self.before.clone(), &self.log);
        let cuts = Cuts {
            windows: windows.len(),
            ..Cuts::default()
        };
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(window) = windows.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.cut_window(&window.cuts(seeds, most), window, &cuts);
                    }
                });
            }
        });
        cuts
    }

    fn cut_window(&self, here: &[Cut], window: &Window, cuts: &Cuts) {
        // Operations that had returned must be durable; those that had begun may be.
        let allowed = &self.exports[window.returned..=window.begun];
        for cut in here {
            let image = window.image(*cut);
            cuts.images.fetch_add(1, Ordering::Relaxed);
            let mut hasher = DefaultHasher::new();
            (&image, window.returned, window.begun).hash(&mut hasher);
            if !cuts.distinct.lock().unwrap().insert(hasher.finish()) {
                continue;
            }
            if needs_repair(&image) {
                let mut repairs = cuts.repairs.lock().unwrap();
                *repairs.entry(window.begun).or_default() += 1;
            }
            if let Err(what) = open_one(image, allowed) {
                let place = format!("operation {}, {cut:?}", window.begun);
                let pending = window.pending.len();
                let failure = format!("{place} of {pending} changes: {what}");
                cuts.failures.lock().unwrap().push(failure);
            }
        }
    }
}

/// The results of all cuts.
#[derive(Default)]
pub struct Cuts {
    /// The number of windows between two syncs.
    pub windows: usize,
    /// The number of images.
    pub images: AtomicUsize,
    /// The digests of the images, without duplicates.
    pub distinct: Mutex<HashSet<u64>>,
    /// The number of images that need a repair that reads the whole file, by the number of
    /// operations that had begun.
    pub repairs: Mutex<BTreeMap<usize, usize>>,
    /// What is wrong with the images that are not as expected.
    pub failures: Mutex<Vec<String>>,
}

/// The numbers of images, all of which were as expected.
#[derive(Clone, Copy, Default)]
pub struct Judged {
    /// The number of windows between two syncs.
    pub windows: usize,
    /// The number of images.
    pub images: usize,
    /// The number of different images.
    pub different: usize,
    /// The number of different images that needed a repair that reads the whole file.
    pub repaired: usize,
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Judged {
            windows,
            images,
            different,
            repaired,
        } = self;
        write!(
            f,
            "{windows} windows, {images} images, {different} different, {repaired} to be repaired"
        )
    }
}

impl Cuts {
    /// Panics with a description of the failures, or returns the numbers of images.
    pub fn judge(self) -> Judged {
        let failures = self.failures.into_inner().unwrap();
        assert!(
            failures.is_empty(),
            "{} images:\n{}",
            failures.len(),
            failures.join("\n")
        );
        Judged {
            windows: self.windows,
            images: self.images.into_inner(),
            different: self.distinct.into_inner().unwrap().len(),
            repaired: self.repairs.into_inner().unwrap().values().sum(),
        }
    }
}

/// Returns whether redb would read the whole file when it is opened.
pub fn needs_repair(image: &[u8]) -> bool {
    let opened = Database::builder()
        .set_repair_callback(RepairSession::abort)
        .create_with_backend(Disk::new(image.to_vec()));
    matches!(opened, Err(DatabaseError::RepairAborted))
}

/// Opens an image, which must be sound and have one of the allowed exports.
fn open_one(image: Vec<u8>, allowed: &[String]) -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: rollbook::Error| format!("{what}: {error}")
    };
    let opened = Engine::open_with_backend(Disk::new(image), options());
    let engine = opened.map_err(failed("opening"))?;
    let verified = engine.verify().map_err(failed("verifying"))?;
    if !verified.is_sound() {
        return Err(format!("unsound: {:?}", verified.problems));
    }
    let found = export(&engine).map_err(failed("exporting"))?;
    if allowed.contains(&found) {
        return Ok(());
    }
    let sizes: Vec<_> = allowed.iter().map(String::len).collect();
    let found = found.len();
    Err(format!(
        "{found} bytes are exported, and not what {sizes:?} bytes were"
    ))
}
