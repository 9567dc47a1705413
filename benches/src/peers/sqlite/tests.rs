use super::{Database, JsonInSql, Normalised, connect, load, normalised};
use crate::ask::{Ask, What};
use crate::peer::{Peer, compare};
use crate::schools::Schools;
use anyhow::{Context as _, Result};
use rollbook::{Engine, Options};
use rollbook_tests::sample::{SampleSchool, federation};
use serde_json::{Value, json};
use std::path::Path;

/// Two small schools, kept by the engine and by `SQLite`.
struct Both {
    schools: Schools,
    database: Database,
    peers: [Box<dyn Peer>; 2],
}

impl Both {
    fn load(folder: &Path) -> Result<Both> {
        let small = SampleSchool {
            learners: 150,
            ..SampleSchool::default()
        };
        let all = federation(2, &small);
        let engine = Engine::memory(Options::default())?;
        for school in &all {
            engine.apply(school.reader())?;
        }
        let database = load(folder, &all)?;
        let path = database.path();
        Ok(Both {
            peers: [
                Box::new(Normalised::open(path)?),
                Box::new(JsonInSql::open(path)?),
            ],
            schools: Schools { all, engine },
            database,
        })
    }

    /// Applies lines to both; how many rows that changed.
    fn apply(&mut self, lines: &[String]) -> Result<u64> {
        self.schools.engine.apply(lines.join("\n").as_bytes())?;
        self.database.apply(lines.iter().cloned())
    }

    /// How many asks were answered with something.
    fn agree(&mut self) -> Result<usize> {
        let asks = self.schools.every_ask()?;
        let mut found = 0;
        for peer in &mut self.peers {
            found = compare(peer.as_mut(), &self.schools.engine, &asks)?;
        }
        Ok(found)
    }

    /// The first record of a kind in a school that has all of these values.
    fn record(&self, kind: &str, school: u64, values: &[(&str, Value)]) -> Result<Value> {
        let lines = self.schools.all.iter().flat_map(SampleSchool::lines);
        for line in lines {
            let record: Value = serde_json::from_str(&line)?;
            let all = [("type", json!(kind)), ("school_id", json!(school))];
            let mut fields = all.iter().chain(values);
            if fields.all(|(name, value)| record.get(name) == Some(value)) {
                return Ok(record);
            }
        }
        anyhow::bail!("no {kind} with {values:?}")
    }
}

/// A record with other values.
fn changed(record: &Value, values: &Value) -> String {
    let mut record = record.clone();
    if let (Some(fields), Some(values)) = (record.as_object_mut(), values.as_object()) {
        fields.extend(values.clone());
    }
    record.to_string()
}

#[test]
fn a_changed_mark_shows() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut both = Both::load(folder.path())?;
    let ask = Ask::new(0, 1000, What::MarksOfLearner(1));
    let (mut before, mut after) = (Vec::new(), Vec::new());
    ask.typed(&both.schools.engine, &mut before)?;
    let mark = both.record("mark", 1000, &[("learner_id", json!(1))])?;
    let dtime = "2026-03-03 03:03:03";
    let line = changed(&mark, &json!({"mark": 7.125, "dtime": dtime}));
    assert_eq!(both.apply(std::slice::from_ref(&line))?, 1);
    assert_eq!(both.apply(&[line])?, 0);
    for peer in &mut both.peers {
        peer.answer(&ask, &mut after)?;
        assert!(before != after);
        assert!(String::from_utf8_lossy(&after).contains(dtime));
        compare(
            peer.as_mut(),
            &both.schools.engine,
            std::slice::from_ref(&ask),
        )?;
    }
    Ok(())
}

#[test]
fn changes_of_every_sort_show() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut both = Both::load(folder.path())?;
    let found = both.agree()?;
    assert!(found > 200, "{found}");
    let all: Vec<String> = both
        .schools
        .all
        .iter()
        .flat_map(SampleSchool::lines)
        .collect();
    assert_eq!(both.apply(&all)?, 0, "the same again");

    let school = 1000;
    let learner = both.record("learner", school, &[("id", json!(1))])?;
    let parent = both.record("parent", school, &[("id", json!(40))])?;
    let subject = both.record("subject", school, &[])?;
    let takes = both.record("learner_subject", school, &[("learner_id", json!(18))])?;
    let mark = both.record("mark", school, &[("learner_id", json!(18))])?;
    let [first, second, third, fourth] = [5001, 5002, 5003, 5004]
        .map(|id| both.record("assessment", school, &[("assessment_id", json!(id))]));
    let (first, second, third, fourth) = (first?, second?, third?, fourth?);
    let given = |assessment: &Value, learner: u64, values: &Value| {
        let id = assessment.get("assessment_id");
        let key = json!({"type": "mark", "school_id": school, "assessment_id": id,
            "learner_id": learner});
        changed(&key, values)
    };
    let sets = [
        vec![
            changed(
                &subject,
                &json!({"subject_name": "A \"quoted\" \\ name\r\n\u{1}\u{7f}é"}),
            ),
            changed(
                &parent,
                &json!({"last_name": "Renamed", "gross_annual_income": "-0.005"}),
            ),
            changed(
                &learner,
                &json!({"first_name": "Zoë Smith", "parent2_id": null}),
            ),
        ],
        // Terms that are no longer taken, and a year without any.
        vec![
            changed(
                &takes,
                &json!({"terms": [{"term": 2, "mark": "66.665"}, {"term": 7}]}),
            ),
            changed(&takes, &json!({"subject_id": 999, "terms": []})),
        ],
        // Marks of every form.
        vec![
            changed(
                &mark,
                &json!({"mark": "-3.335", "percentage": null, "captured": 1}),
            ),
            given(
                &first,
                1,
                &json!({"mark": 5, "percentage": "a", "captured": 0}),
            ),
            given(
                &second,
                1,
                &json!({"mark": 5, "percentage": 1.005, "captured": 0}),
            ),
            given(&third, 1, &json!({"mark": "0.000001", "percentage": 1.005})),
            given(&fourth, 1, &json!({"dtime": "2026-01-01 00:00:00"})),
        ],
        // Marks without a seat: by a learner of another grade, by one that is
        // unknown, for an assessment that is unknown.
        vec![
            given(&first, 137, &json!({"mark": 5})),
            given(&second, 100_000, &json!({"mark": 5})),
            given(&json!({"assessment_id": 1}), 1, &json!({"mark": 5})),
        ],
        // Assessments elsewhere, and out of nothing.
        vec![
            changed(&first, &json!({"mark_out_of": 0, "weight": "-1.005"})),
            changed(
                &second,
                &json!({"learning_outcome_id": 999, "mark_out_of": "-7"}),
            ),
            changed(&third, &json!({"term": 2, "subject_id": 998})),
            changed(&fourth, &json!({"grade_id": 9, "assessment_name": ""})),
        ],
        vec![
            changed(
                &learner,
                &json!({"status": "left", "transfer_date": "2026-09-01"}),
            ),
            format!(
                r#"{{"type":"learning_program","school_id":{school},"grade_id":1,"year":2026,"term":1,"subject_id":{},"mark_release_date":"2026-12-31"}}"#,
                first.get("subject_id").context("no subject")?
            ),
            format!(r#"{{"type":"year","school_id":{school},"year":2026}}"#),
        ],
    ];
    for lines in sets {
        assert!(both.apply(&lines)? > 0);
        both.agree()?;
    }
    Ok(())
}

/// What a statement has made itself, and may scan.
const MADE: [&str; 8] = [
    "(subquery",
    "of_grade",
    "sat",
    "seat",
    "sheet",
    "sitter",
    "taught",
    "x",
];

#[test]
fn no_statement_scans_a_table_or_sorts_more_than_unions() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let both = Both::load(folder.path())?;
    let connection = connect(both.database.path())?;
    for sql in normalised::statements()
        .into_iter()
        .chain(super::json::STATEMENTS)
    {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let mut steps = plan.raw_query();
        let mut sorts = 0;
        while let Some(step) = steps.next()? {
            let step: String = step.get(3)?;
            let scanned = step.strip_prefix("SCAN ");
            let made = |name: &str| MADE.iter().any(|made| name.starts_with(made));
            assert!(scanned.is_none_or(made), "{step}: {sql}");
            sorts += usize::from(step.contains("TEMP B-TREE"));
        }
        // The two parts of a union, which no index holds in one order.
        let allowed = if sql.contains("UNION") { 2 } else { 0 };
        assert!(sorts <= allowed, "{sorts} sorts: {sql}");
    }
    Ok(())
}
