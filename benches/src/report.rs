//! Formats the measurements as tables.

use crate::comparison::Measured;
use crate::concurrent::Beside;
use crate::following::FollowingCost;
use crate::growth::{Growth, Killed};
use crate::interfaces::InterfaceTimes;
use crate::journal::JournalCost;
use crate::observing::Observing;
use crate::reading::Read;
use crate::writes::Written;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets::ASCII_MARKDOWN};

/// Returns the table of the questions: the engine, the floor, and each peer with the ratio of its
/// time to that of the engine.
pub fn questions(measured: &[Measured]) -> Table {
    let by_question = || measured.chunk_by(|a, b| a.question == b.question);
    let engines = by_question().next().unwrap_or_default();
    let mut header = ["question", "bytes", "copy"].to_vec();
    header.extend(engines.iter().map(|row| row.engine));
    let mut table = table(header.into_iter().map(str::to_owned));
    for rows in by_question() {
        let Some(ours) = rows.first() else {
            continue;
        };
        let mut cells = vec![
            ours.question.to_owned(),
            ours.bytes.to_string(),
            duration(ours.floor_ns / 1e9),
        ];
        for row in rows {
            let beside = match row.engine {
                "rollbook" => format!("{} copy", times(ours.median_ns / ours.floor_ns)),
                "rollbook request" => {
                    let more = (row.median_ns - ours.median_ns) / 1e9;
                    let sign = if more < 0.0 { "" } else { "+" };
                    format!("{sign}{}", duration(more))
                }
                _ => times(row.median_ns / ours.median_ns),
            };
            cells.push(format!("{}\n{beside}", duration(row.median_ns / 1e9)));
        }
        table.add_row(cells);
    }
    table
}

/// Returns the table of the engine's two interfaces, for questions that the peers do not answer.
pub fn doors(what: &str, measured: &[InterfaceTimes]) -> Table {
    let header = [what, "bytes", "copy", "rollbook", "rollbook request"];
    let mut table = table(header.map(str::to_owned));
    for row in measured {
        table.add_row([
            row.name.to_owned(),
            row.bytes.to_string(),
            duration(row.copy_ns / 1e9),
            duration(row.typed_ns / 1e9),
            duration(row.request_ns / 1e9),
        ]);
    }
    table
}

/// Returns the table of the answers that a sync reads.
pub fn reading(read: &[(&str, Read)]) -> Table {
    let header = ["answers", "count", "bytes", "took", "MB/s"];
    let mut table = table(header.map(str::to_owned));
    for (name, read) in read {
        table.add_row([
            (*name).to_owned(),
            read.answers.to_string(),
            read.bytes.to_string(),
            duration(read.took.as_secs_f64()),
            format!("{:.0}", read.rate()),
        ]);
    }
    table
}

/// Returns the table of the cost of following.
pub fn following(followed: &[FollowingCost]) -> Table {
    let header = ["what", "median", "p99", "bytes"];
    let mut table = table(header.map(str::to_owned));
    for row in followed {
        table.add_row([
            row.name.to_owned(),
            duration(row.times.median),
            duration(row.times.p99),
            row.bytes.to_string(),
        ]);
    }
    table
}

/// Returns the table of durable changes compared with a bare commit.
pub fn writes(written: &[Written]) -> Table {
    let header = ["change", "median", "p99", "bare commit", "ratio"];
    let mut table = table(header.map(str::to_owned));
    for row in written {
        table.add_row([
            row.name.to_owned(),
            duration(row.change.median),
            duration(row.change.p99),
            duration(row.bare.median),
            times(row.ratio),
        ]);
    }
    table
}

/// Returns the table of changes with and without a journal.
pub fn journal(noted: &[JournalCost]) -> Table {
    let header = ["written", "with a journal", "without", "ratio"];
    let mut table = table(header.map(str::to_owned));
    for row in noted {
        table.add_row([
            row.name.to_owned(),
            duration(row.with.median),
            duration(row.without.median),
            format!("{:.3}", row.ratio),
        ]);
    }
    table
}

/// Returns the table of the cost of observers for a change.
pub fn observing(measured: &Observing) -> Table {
    let header = [
        "observers",
        "concerned",
        "without them",
        "who poll",
        "who listen",
    ];
    let mut table = table(header.map(str::to_owned));
    table.add_row([
        measured.observers.to_string(),
        measured.concerned.to_string(),
        duration(measured.alone.median),
        duration(measured.polling.median),
        duration(measured.listening.median),
    ]);
    table
}

/// Returns the table of readers beside a writer.
pub fn beside(beside: &[Beside]) -> Table {
    let header = ["writer", "question", "asks", "median", "p99", "longest"];
    let mut table = table(header.map(str::to_owned));
    for row in beside {
        for (question, spread) in &row.asks {
            table.add_row([
                format!("{} ({} times)", row.writer, row.written),
                (*question).to_owned(),
                spread.count.to_string(),
                duration(spread.median),
                duration(spread.p99),
                duration(spread.longest),
            ]);
        }
    }
    table
}

/// Selects the measurements after one kind of kill.
type KilledOf = fn(&Growth) -> Killed;

/// Returns the table of the growth with the size of a school.
pub fn growth(sizes: &[Growth]) -> Table {
    let mut header = vec!["learners".to_owned()];
    header.extend(sizes.iter().map(|size| size.learners.to_string()));
    let mut table = table(header);
    let mut row = |name: &str, cell: &dyn Fn(&Growth) -> String| {
        let mut cells = vec![name.to_owned()];
        cells.extend(sizes.iter().map(cell));
        table.add_row(cells);
    };
    row("dataset, NDJSON", &|size| bytes(size.dataset));
    row("load", &|size| duration(size.loaded.seconds));
    row("records a second", &|size| {
        format!(
            "{:.0} k",
            count(size.loaded.records) / size.loaded.seconds / 1e3
        )
    });
    row("peak memory of the load", &|size| {
        some_bytes(size.loaded.peak)
    });
    row("store after the load", &|size| bytes(size.loaded.store));
    row("store after compaction", &|size| {
        bytes(size.loaded.compacted)
    });
    row("JSON that it answers", &|size| bytes(size.answers));
    row("same dataset again", &|size| duration(size.again.seconds));
    row("memory held", &|size| some_bytes(size.warm_engine.resident));
    for place in 0..sizes.first().map_or(0, |size| size.changes.len()) {
        let at = |size: &Growth| size.changes.get(place).cloned();
        let name = sizes
            .first()
            .and_then(at)
            .map_or(String::new(), |change| change.name);
        row(&name, &|size| {
            at(size).map_or(String::new(), |change| duration(change.times.median))
        });
    }
    row("open after closing", &|size| {
        duration(size.openings.clean.median)
    });
    let killed: [(&str, KilledOf); 3] = [
        ("open, killed in a write", |size| size.openings.writing),
        ("open, killed in a load", |size| size.openings.loading),
        ("the same, a state set meanwhile", |size| {
            size.openings.loading_beside
        }),
    ];
    for (name, of) in killed {
        row(name, &|size| duration(of(size).later.median));
        row(&format!("{name}, at once"), &|size| {
            duration(of(size).at_once.median)
        });
    }
    let mut questions: Vec<&str> = Vec::new();
    for question in sizes.iter().flat_map(|size| &size.warm_engine.questions) {
        if !questions.contains(&question.name.as_str()) {
            questions.push(&question.name);
        }
    }
    for name in questions {
        row(name, &|size| {
            let mut questions = size.warm_engine.questions.iter();
            let warm = questions.find(|question| question.name == name);
            warm.map_or("-".to_owned(), |warm| duration(warm.median))
        });
    }
    table
}

fn table(header: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table
        .load_style(ASCII_MARKDOWN)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Formats seconds with three digits.
pub fn duration(seconds: f64) -> String {
    let magnitude = seconds.abs();
    let (number, unit) = match magnitude {
        _ if magnitude >= 1.0 => (seconds, "s"),
        _ if magnitude >= 1e-3 => (seconds * 1e3, "ms"),
        _ if magnitude >= 1e-6 => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    format!("{} {unit}", three_digits(number))
}

fn times(ratio: f64) -> String {
    format!("{} x", three_digits(ratio))
}

fn three_digits(number: f64) -> String {
    match number.abs() {
        large if large >= 99.95 => format!("{number:.0}"),
        middling if middling >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

fn bytes(count: u64) -> String {
    format!("{} MB", three_digits(self::count(count) / 1e6))
}

fn some_bytes(count: Option<u64>) -> String {
    count.map_or("not measured".to_owned(), bytes)
}

#[expect(clippy::cast_precision_loss, reason = "to be read, to three digits")]
fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_of_everything() {
        for (seconds, expected) in [
            (0.0, "0.00 ns"),
            (2.94e-7, "294 ns"),
            (9.996e-6, "10.0 µs"),
            (-5e-8, "-50.0 ns"),
            (0.1234, "123 ms"),
            (75.0, "75.0 s"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }
}
