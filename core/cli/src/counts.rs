//! Formats the numbers of records of each kind as a table.

use comfy_table::{CellAlignment, Table, presets};
use indicatif::HumanCount;

/// Formats a table whose rows are a name and its numbers.
pub(crate) fn table<const COLUMNS: usize>(
    header: [&str; COLUMNS],
    rows: impl IntoIterator<Item = (&'static str, [u64; COLUMNS])>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([""].into_iter().chain(header));
    for (name, numbers) in rows {
        let numbers = numbers.map(|number| HumanCount(number).to_string());
        table.add_row([name.to_owned()].into_iter().chain(numbers));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        if index == 0 {
            column.set_padding((0, 0));
        } else {
            column.set_padding((2, 0));
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}
