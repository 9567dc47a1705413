use super::{Normalised, absentees, learners, sheet, subjects};
use crate::peer::compare;
use crate::schools::Schools;
use anyhow::Result;
use rollbook::{Engine, Options};
use rollbook_tests::sample::{SampleSchool, federation};

/// Records that no sample contains: assessments out of zero and out of negative numbers, marks of
/// every form, of learners who do not take the subject and for unknown assessments, terms without
/// dates.
const ODD: &str = r#"
{"type":"parent","school_id":1000,"id":5001,"last_name":"A \"quoted\" \\ name\r\n\u0001\u007fé","gross_annual_income":"-0.005"}
{"type":"learner","school_id":1000,"id":5000,"first_name":"Zoë Smith","grade_id":1,"parent1_id":5001,"parent2_id":404}
{"type":"learner","school_id":1000,"id":5001,"status":"left","transfer_date":"2026-09-01"}
{"type":"learner_subject","school_id":1000,"year":2026,"learner_id":1,"subject_id":998,"grade_id":1,"terms":[]}
{"type":"learner_subject","school_id":1000,"year":2026,"learner_id":18,"subject_id":998,"grade_id":1,"terms":[{"term":7},{"term":2,"mark":"66.665"}]}
{"type":"learner_subject","school_id":1000,"year":2026,"learner_id":5000,"subject_id":998,"grade_id":1,"terms":[{"term":2}]}
{"type":"assessment","school_id":1000,"assessment_id":900001,"grade_id":1,"year":2026,"term":2,"subject_id":998,"learning_outcome_id":999,"assessment_date":"2026-05-01","weight":"-1.005","mark_out_of":-7}
{"type":"assessment","school_id":1000,"assessment_id":900002,"grade_id":1,"year":2026,"term":2,"subject_id":998,"learning_outcome_id":999,"assessment_date":"2026-05-01","weight":1.004999,"mark_out_of":0}
{"type":"mark","school_id":1000,"assessment_id":900001,"learner_id":1,"mark":"-3.335"}
{"type":"mark","school_id":1000,"assessment_id":900002,"learner_id":1,"mark":5,"percentage":null}
{"type":"mark","school_id":1000,"assessment_id":900001,"learner_id":18,"mark":5,"percentage":"a","captured":0}
{"type":"mark","school_id":1000,"assessment_id":900002,"learner_id":18,"mark":"0.000001","percentage":-1.005}
{"type":"mark","school_id":1000,"assessment_id":900001,"learner_id":5000,"mark":5,"captured":0}
{"type":"mark","school_id":1000,"assessment_id":900002,"learner_id":404,"dtime":"2026-05-01 00:00:00"}
{"type":"mark","school_id":1000,"assessment_id":404,"learner_id":1,"mark":5}
"#;

/// Returns two small schools with these records, loaded into the engine and into `SQLite`.
fn load() -> Result<(tempfile::TempDir, Schools, Normalised)> {
    let folder = tempfile::tempdir()?;
    let small = SampleSchool {
        learners: 150,
        ..SampleSchool::default()
    };
    let all = federation(2, &small);
    let odd = ODD.trim().lines().map(str::to_owned);
    let lines: Vec<String> = all
        .iter()
        .flat_map(SampleSchool::lines)
        .chain(odd)
        .collect();
    let engine = Engine::memory(Options::default())?;
    engine.apply(lines.join("\n").as_bytes())?;
    let mut peer = Normalised::create(folder.path())?;
    peer.add(lines.into_iter())?;
    peer.connection.execute_batch("ANALYZE")?;
    Ok((folder, Schools { all, engine }, peer))
}

#[test]
fn odd_records_are_answered_as_by_the_engine() -> Result<()> {
    let (_folder, schools, mut peer) = load()?;
    let found = compare(&mut peer, &schools.engine, &schools.every_ask()?)?;
    assert!(found > 200, "{found}");
    Ok(())
}

#[test]
fn no_statement_scans_a_table_or_sorts() -> Result<()> {
    let (_folder, _, peer) = load()?;
    let others = [
        subjects::STATEMENTS,
        sheet::STATEMENTS,
        absentees::STATEMENTS,
    ]
    .concat();
    for sql in learners::statements().into_iter().chain(others) {
        let plan = format!("EXPLAIN QUERY PLAN {sql}");
        let mut statement = peer.connection.prepare(&plan)?;
        let steps = statement
            .raw_query()
            .mapped(|step| step.get::<_, String>(3));
        let steps: Vec<String> = steps.collect::<Result<_, _>>()?;
        let good = |step: &String| !step.starts_with("SCAN ") && !step.contains("TEMP B-TREE");
        assert!(steps.iter().all(good), "{steps:#?}: {sql}");
    }
    Ok(())
}
