//! Tests of `rollbook sample`.

use super::folder::Folder;
use super::json;
use jiff::Timestamp;
use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;

fn dataset(school: &SampleSchool) -> String {
    school.lines().map(|line| line + "\n").collect()
}

#[test]
fn it_writes_the_school_of_its_arguments() {
    let folder = Folder::new();
    let as_of = "2025-08-02".parse().ok();
    let expected = dataset(&SampleSchool {
        seed: 7,
        school_id: 1001,
        learners: 3,
        years: 2,
        current_year: 2025,
        as_of,
        ..SampleSchool::default()
    });
    let line = "sample --learners 3 --school 1001 --years 2 --seed 7 --as-of 2025-08-02";
    assert_eq!(folder.succeed(line), expected);
    let simple = dataset(&SampleSchool {
        learners: 100,
        current_year: 2025,
        as_of,
        ..SampleSchool::default()
    });
    assert_eq!(folder.succeed("sample --as-of 2025-08-02"), simple);

    for (arguments, is_json) in [("", false), (" --json", true)] {
        let ran = folder.run(&format!("{line}{arguments} -o school"));
        assert_eq!(ran.code, Some(0));
        assert_eq!(ran.err, "Log in as demo with the password demo.\n");
        assert_eq!(folder.read("school"), expected);
        let count = expected.lines().count();
        if is_json {
            let found = json(&ran.out);
            assert_eq!(found["records"], count);
            assert_eq!(found["bytes"], expected.len());
        } else {
            let shown = ran.out.replace(',', "");
            let expected = format!("school: {count} records ");
            assert!(shown.starts_with(&expected), "{shown}");
        }
    }
}

#[test]
fn the_default_day_is_today() {
    let folder = Folder::new();
    let day = || Timestamp::now().to_string()[..10].to_owned();
    let days = [day(), folder.succeed("sample --learners 6"), day()];
    let year = &days[0][..4];
    let [first, sample, last] = &days;
    assert!(
        sample.contains(&format!(r#""current_year":{year}"#))
            || first[..4] != last[..4]
            || first.ends_with("-12-31")
    );
    // In South Africa, the next day begins two hours earlier.
    let [first, last] = [first, last].map(|day| day.parse::<jiff::civil::Date>().unwrap());
    let possible = [first, last, last.tomorrow().unwrap()]
        .map(|day| folder.succeed(&format!("sample --learners 6 --as-of {day}")));
    assert!(possible.contains(sample));
}

#[test]
fn every_value_in_range_gives_a_valid_dataset() {
    let folder = Folder::new();
    let engine = Engine::memory(Options::default()).unwrap();
    for arguments in [
        "--learners 0 --school 0 --as-of 9998-12-31",
        "--learners 1 --school 18446744073709551615 --years 100 --as-of 0100-01-01",
    ] {
        let sample = folder.succeed(&format!("sample {arguments}"));
        assert_eq!(engine.check(sample.as_bytes(), 9).unwrap(), []);
    }
    for arguments in [
        "--learners 10000001",
        "--learners=-1",
        "--years 0",
        "--years 101",
        "--school 18446744073709551616",
        "--as-of 0099-12-31",
        "--as-of 9999-01-01",
        "--as-of 2026-02-30",
        "--as-of",
    ] {
        let said = folder.fail(&format!("sample {arguments}"), 2);
        let option = arguments.split([' ', '=']).next().unwrap();
        assert!(said.contains(option), "{said}");
    }
    folder.fail("sample -o none/school", 1);
    assert!(folder.names().is_empty());
}
