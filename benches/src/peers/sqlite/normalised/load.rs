//! Loads lines of a dataset as rows, with one column per field.

use super::decimal;
use crate::peers::fold::fold;
use crate::peers::line::Line;
use crate::peers::sqlite::each;
use anyhow::{Context as _, Result};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde_json::Value as Json;
use std::collections::HashMap;

/// The columns that contain decimals.
const DECIMALS: [&str; 5] = [
    "gross_annual_income",
    "mark",
    "mark_out_of",
    "percentage",
    "weight",
];

/// The columns of the tables, by the names of the tables.
pub(super) struct Tables(HashMap<String, Vec<Column>>);

struct Column {
    name: String,
    is_text: bool,
}

impl Tables {
    pub(super) fn new(connection: &Connection) -> Result<Tables> {
        let all = "SELECT t.name, c.name, c.type = 'TEXT'
             FROM sqlite_schema t CROSS JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' ORDER BY t.name, c.cid";
        let mut tables: HashMap<String, Vec<Column>> = HashMap::new();
        each(connection, all, [], |row| {
            let (name, is_text) = (row.get(1)?, row.get(2)?);
            let columns = tables.entry(row.get(0)?).or_default();
            columns.push(Column { name, is_text });
            Ok(())
        })?;
        Ok(Tables(tables))
    }

    /// Adds a record. Its terms, if it has any, are added as records of their own.
    pub(super) fn add(&self, connection: &Connection, line: &str) -> Result<()> {
        let mut record = Line::parse(line)?;
        let terms = record.0.remove("terms");
        let kind = record.text("type").into_owned();
        self.insert(connection, &kind, &record)?;
        for term in terms.iter().filter_map(Json::as_array).flatten() {
            let fields = term.as_object().context("a term is no object")?;
            let mut of_term = Line(record.0.clone());
            of_term.0.extend(fields.clone());
            self.insert(connection, &format!("{kind}_term"), &of_term)?;
        }
        Ok(())
    }

    /// Inserts a record. Kinds of records that no question reads have no table.
    fn insert(&self, connection: &Connection, table: &str, record: &Line) -> Result<()> {
        let Some(columns) = self.0.get(table) else {
            return Ok(());
        };
        let places = vec!["?"; columns.len()].join(", ");
        let insert = format!("INSERT INTO {table} VALUES ({places})");
        let mut insert = connection.prepare_cached(&insert)?;
        let values = columns.iter().map(|column| column.value(record));
        insert.execute(params_from_iter(values))?;
        Ok(())
    }
}

impl Column {
    fn value(&self, record: &Line) -> Value {
        let text = record.text(&self.name);
        match self.name.as_str() {
            "absent" => (record.text("percentage") == "a").into(),
            "captured" => (text != "0").into(),
            "folded_name" => fold(&record.name()).into(),
            "mark_release_date" if text.is_empty() => Value::Null,
            "status" if text.is_empty() => Value::Text("current".to_owned()),
            decimal if DECIMALS.contains(&decimal) => decimal::parse(&text).into(),
            _ if self.is_text => text.into_owned().into(),
            _ => text.parse::<i64>().ok().into(),
        }
    }
}
