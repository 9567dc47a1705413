//! Measures the engine beside its peers.
//!
//! ```text
//! cargo run --release -p rollbook-benches              everything
//! cargo run --release -p rollbook-benches -- --quick   one school, a minute
//! ```
//!
//! With `--no-default-features`, only the engine is measured, and no C is compiled.

use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
#[cfg(feature = "peers")]
use rollbook_benches::ask::NOW;
use rollbook_benches::comparison::{self, Caches};
use rollbook_benches::growth::{self, Rounds};
use rollbook_benches::schools::Schools;
use rollbook_benches::timing::Effort;
use rollbook_benches::{
    administration, child, concurrent, following, journal, observing, pages, reading, report,
    writes,
};
use std::io::{self, Write as _};
use std::time::Duration;

/// The extent of the measurements.
struct Scale {
    /// The number of schools that are asked in random order, in addition to the single one.
    schools: Option<u32>,
    /// The sizes of schools whose growth is measured, in learners.
    sizes: &'static [u32],
    effort: Effort,
    /// The number of times that small changes are made, and that stores are opened.
    changes: usize,
    openings: usize,
    /// How long readers ask beside each writer.
    beside: Duration,
}

const FULL: Scale = Scale {
    schools: Some(20),
    sizes: &[100, 1_000, 10_000, 100_000],
    effort: Effort {
        rounds: 7,
        time: Duration::from_millis(400),
    },
    changes: 100,
    openings: 5,
    beside: Duration::from_secs(5),
};

const QUICK: Scale = Scale {
    schools: None,
    sizes: &[100, 1_000],
    effort: Effort {
        rounds: 5,
        time: Duration::from_millis(150),
    },
    changes: 30,
    openings: 3,
    beside: Duration::from_secs(1),
};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let scale = match (arguments.next().as_deref(), arguments.next()) {
        (Some(child::ARGUMENT), Some(task)) => return growth::child(&task),
        (Some("--quick"), None) => QUICK,
        (None, None) => FULL,
        _ => anyhow::bail!("usage: rollbook-benches [--quick]"),
    };
    let progress = ProgressBar::new_spinner().with_style(ProgressStyle::with_template(
        "{spinner} {elapsed} {wide_msg}",
    )?);
    progress.enable_steady_tick(Duration::from_millis(200));
    alone(scale.effort, &progress)?;
    questions(1, &[Caches::OneSchool], scale.effort, &progress)?;
    if let Some(count) = scale.schools {
        // With a single school, there is no other school that could be asked before it.
        let caches = [Caches::ManySchools, Caches::Cold];
        questions(count, &caches, scale.effort, &progress)?;
    }
    others(&scale, &progress)?;
    progress.finish_and_clear();
    Ok(())
}

/// Measures pages of v2, and the questions that the peers do not answer.
fn alone(effort: Effort, progress: &ProgressBar) -> Result<()> {
    progress.set_message("pages of v2");
    let folder = tempfile::tempdir()?;
    let schools = Schools::load(1, folder.path())?;
    let school = schools.all.first().context("a school")?;
    let measured = pages::measure(&schools.engine, school, effort)?;
    let table = report::doors("a page of 50", &measured);
    say(&format!("Pages of v2, one school, warm\n{table}\n\n"))?;
    progress.set_message("Administration+");
    let measured = administration::measure(&schools.engine, school.school_id, effort)?;
    let table = report::doors("question", &measured);
    say(&format!("Administration+, one school, warm\n{table}\n\n"))
}

/// Measures the questions with this number of schools, for each of these states of the caches.
fn questions(count: u32, caches: &[Caches], effort: Effort, progress: &ProgressBar) -> Result<()> {
    let folder = tempfile::tempdir()?;
    progress.set_message(format!("loading {count} schools"));
    let schools = Schools::load(count, folder.path())?;
    progress.set_message("loading the peers");
    #[cfg(feature = "peers")]
    let peers = rollbook_benches::peers::all(folder.path(), &schools, &[NOW])?;
    #[cfg(not(feature = "peers"))]
    let peers = Vec::new();
    let mut compared = comparison::compared(&schools, peers);
    let asks = comparison::check(&mut compared, &schools, |peer| {
        progress.set_message(format!("comparing the answers: {peer}"));
    })?;
    say(&format!(
        "Schools: {count}. All {} answered {asks} asks with the same bytes.\n\n",
        compared.len()
    ))?;
    for &caches in caches {
        let name = match caches {
            Caches::OneSchool => "One school, warm",
            Caches::ManySchools => "Schools at random",
            Caches::Cold => "Cold: all caches hold other schools",
        };
        let measured = comparison::measure(&mut compared, &schools, caches, effort, |question| {
            progress.set_message(format!("{name}: {question}"));
        })?;
        say(&format!("{name}\n{}\n\n", report::questions(&measured)))?;
    }
    Ok(())
}

/// Measures changes, readers beside a writer, and growth.
fn others(scale: &Scale, progress: &ProgressBar) -> Result<()> {
    progress.set_message("durable changes");
    let folder = tempfile::tempdir()?;
    let written = writes::measure(1_000, folder.path(), scale.changes)?;
    say(&format!(
        "Durable changes to 1,000 learners\n{}\n\n",
        report::writes(&written)
    ))?;
    progress.set_message("the journal");
    let folder = tempfile::tempdir()?;
    let loads = 2 * scale.effort.rounds;
    let noted = journal::measure(1_000, folder.path(), loads, scale.changes)?;
    say(&format!(
        "What the journal costs with 1,000 learners\n{}\n\n",
        report::journal(&noted)
    ))?;
    progress.set_message("followers");
    let folder = tempfile::tempdir()?;
    let followed = following::measure(1_000, folder.path(), scale.changes)?;
    say(&format!(
        "Followers of 1,000 learners\n{}\n\n",
        report::following(&followed)
    ))?;
    progress.set_message("observers of a change");
    let measured = observing::measure(1_000, 20 * scale.changes)?;
    say(&format!(
        "A change that is observed, in memory\n{}\n\n",
        report::observing(&measured)
    ))?;
    progress.set_message("answers read back");
    let read = reading::measure(300, scale.effort.rounds)?;
    say(&format!(
        "Answers read back by a sync, 300 learners\n{}\n\n",
        report::reading(&read)
    ))?;
    progress.set_message("readers beside a writer");
    let folder = tempfile::tempdir()?;
    let beside = concurrent::measure(1_000, folder.path(), scale.beside)?;
    say(&format!(
        "A reader beside a writer\n{}\n\n",
        report::beside(&beside)
    ))?;
    let mut sizes = Vec::new();
    for &learners in scale.sizes {
        progress.set_message(format!("a school of {learners} learners"));
        let folder = tempfile::tempdir()?;
        let rounds = Rounds {
            changes: scale.changes,
            openings: scale.openings,
            asking: 300,
        };
        sizes.push(growth::measure(learners, folder.path(), rounds)?);
    }
    say(&format!(
        "As a school grows\n{}\n\n",
        report::growth(&sizes)
    ))
}

fn say(text: &str) -> Result<()> {
    Ok(io::stdout().write_all(text.as_bytes())?)
}
