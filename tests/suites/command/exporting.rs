//! Tests of `rollbook export`.

use super::folder::{Folder, ran};
use super::{engine_with, export, json};
use rollbook::{Credentials, Engine, Export, Options, Scope};

fn text(lines: rollbook::Result<Export>) -> String {
    lines.unwrap().map(|line| line.unwrap() + "\n").collect()
}

#[test]
fn it_writes_what_the_engine_exports() {
    let folder = Folder::with_store();
    let engine = engine_with("");
    let learners = Scope::default().learners(1000, [1, 2]).school(1001);
    for (arguments, expected) in [
        ("", export(&engine, Credentials::LeaveOut)),
        (" --with-credentials", export(&engine, Credentials::Keep)),
        (
            " --scope 1000:1,2+1001",
            text(engine.export_scope(&learners)),
        ),
        (" --json -o -", export(&engine, Credentials::LeaveOut)),
    ] {
        let line = format!("export --store school.redb{arguments}");
        assert_eq!(folder.succeed(&line), expected, "{line}");
    }
    let unknown = folder.run("export --store school.redb --scope 99");
    assert_eq!(unknown.code, Some(0));
    assert_eq!(
        unknown.out,
        text(engine.export_scope(&Scope::default().school(99)))
    );
    assert!(
        unknown.err.contains("no school of the scope"),
        "{}",
        unknown.err
    );
}

#[test]
fn the_pseudonyms_depend_on_the_key() {
    let folder = Folder::with_store();
    let line = "export --store school.redb --pseudonymise";
    let with_key = |key: &str| {
        let mut command = folder.command(line);
        ran(command.env("ROLLBOOK_PSEUDONYM_KEY", key).output().unwrap())
    };
    let key: [u8; 32] = std::array::from_fn(|index| 7 + 8 * u8::try_from(index).unwrap());
    let number = |half: usize| u128::from_be_bytes(key[half..half + 16].try_into().unwrap());
    let digits = format!("{:032X}{:032x}", number(0), number(16));
    let found = with_key(&digits);
    let engine = engine_with("");
    assert_eq!(found.out, text(engine.export_pseudonymised(&key)));
    assert_eq!((found.code, found.err.as_str()), (Some(0), ""));

    let random = [folder.run(line), folder.run(line)];
    for found in &random {
        assert_eq!(found.code, Some(0));
        assert!(found.err.contains("a random key is used"), "{}", found.err);
    }
    assert!(random[0].out != random[1].out && !random[0].out.contains("Smith"));

    for wrong in ["", "07", &digits[1..], &format!("+{}", &digits[1..])] {
        let found = with_key(wrong);
        assert_eq!((found.code, found.out.as_str()), (Some(2), ""));
        assert!(found.err.contains("64 hexadecimal digits"), "{}", found.err);
    }
}

#[test]
fn a_file_is_complete_or_unchanged() {
    let folder = Folder::with_store();
    let expected = export(&engine_with(""), Credentials::LeaveOut);
    folder.write("old", "old");
    for file in ["new", "old"] {
        let line = format!("export --store school.redb --json -o {file}");
        let found = json(&folder.succeed(&line));
        assert_eq!(found["file"], file);
        assert_eq!(found["records"], expected.lines().count());
        assert_eq!(found["bytes"], expected.len());
        assert_eq!(folder.read(file), expected);
    }
    let said = folder.succeed("export --store school.redb --output new");
    let count = expected.lines().count();
    assert!(
        said.starts_with(&format!("new: {count} records, ")),
        "{said}"
    );

    // The pseudonym of this id would be too large, which is noticed after other records.
    let engine = folder.engine("school.redb");
    let line = format!(
        r#"{{"type":"absentee","school_id":1000,"id":{},"learner_id":1,"absent_date":"2026-05-04"}}"#,
        u64::MAX
    );
    engine.apply(line.as_bytes()).unwrap();
    engine.close().unwrap();
    let names = folder.names();
    let to_stdout = folder.run("export --store school.redb --pseudonymise");
    assert_eq!(to_stdout.code, Some(1));
    assert!(to_stdout.out.lines().count() > 20 && to_stdout.err.contains("school.redb: "));
    for file in ["old", "newer"] {
        folder.fail(
            &format!("export --store school.redb --pseudonymise -o {file}"),
            1,
        );
    }
    assert_eq!(folder.names(), names);
    assert_eq!(folder.read("old"), expected);
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_not_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::with_store();
    let expected = export(&engine_with(""), Credentials::LeaveOut);
    folder.write("target", "old");
    symlink("target", folder.path("link")).unwrap();
    folder.succeed("export --store school.redb -o link");
    assert!(folder.path("link").is_symlink());
    assert_eq!(folder.read("target"), expected);
    let mode = folder
        .path("target")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let out = folder.succeed("export --store school.redb -o /dev/stdout");
    assert!(out.starts_with(&expected), "{out}");
    assert_eq!(folder.names(), ["link", "school.redb", "target"]);
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = Folder::with_store();
    let before = folder.records("school.redb");
    for (arguments, code, expected) in [
        ("--scope 1 --pseudonymise", 2, "cannot be used with"),
        ("--scope 1 --with-credentials", 2, "cannot be used with"),
        (
            "--pseudonymise --with-credentials",
            2,
            "cannot be used with",
        ),
        ("--scope x", 2, "for example 1000 or 1000:1,2"),
        ("--scope +", 2, "for example 1000 or 1000:1,2"),
        ("-o ./school.redb", 2, "is the store: give another file"),
        ("-o none/file", 1, "none/file: its folder does not exist"),
    ] {
        let said = folder.fail(&format!("export --store school.redb {arguments}"), code);
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(folder.names(), ["school.redb"]);
    assert_eq!(folder.records("school.redb"), before);
}

/// What one command writes, the other one reads.
#[test]
fn a_sample_is_loaded_and_exported_without_a_difference() {
    let folder = Folder::new();
    let sample = folder.succeed("sample --learners 12 --as-of 2026-05-14");
    let loaded = folder.pipe(sample.as_bytes(), "load --store a.redb --json -");
    assert_eq!(loaded.code, Some(0), "{}", loaded.err);
    let first = folder.succeed("export --store a.redb --with-credentials");
    folder.write("first", &first);
    folder.succeed("load --store b.redb first");
    let second = folder.succeed("export --store b.redb --with-credentials");
    assert_eq!(first, second);
    let again = folder.pipe(sample.as_bytes(), "load --store b.redb --json -");
    let total = &json(&again.out)["total"];
    assert_eq!(total["unchanged"], first.lines().count());
    assert_eq!(total["added"], 0);
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(first.as_bytes()).unwrap();
    assert_eq!(export(&engine, Credentials::Keep), first);
}
