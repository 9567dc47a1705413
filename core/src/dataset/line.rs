//! One line of a dataset: its kind, and its values checked by themselves.

use super::lines::LINE_BYTES;
use super::plain_line;
use crate::json::{self, Object};
use crate::record::field::Form;
use crate::record::shown::shown;
use crate::record::{Kind, Value, integrator, terms};
use std::borrow::Cow;
use std::fmt;

/// A record as a line gives it.
#[derive(PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) kind: Kind,
    /// The record goes; only the values of its key are there.
    pub(crate) deleted: bool,
    /// By the position of the field.
    pub(crate) values: Vec<Value<'a>>,
}

/// Reads a line; nothing if it is blank. On failure says what is wrong with it.
pub(crate) fn parse(line: &[u8]) -> Result<Option<Line<'_>>, String> {
    if line.len() > LINE_BYTES {
        return Err("is longer than 1 MiB".to_owned());
    }
    let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    if text
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    {
        return Ok(None);
    }
    match plain_line::parse(text) {
        Some(line) => Ok(Some(line)),
        None => parse_any(text).map(Some),
    }
}

/// Reads a line whatever it looks like.
pub(super) fn parse_any(text: &str) -> Result<Line<'_>, String> {
    let object = Object::parse(text).map_err(|what| format!("is not a JSON object: {what}"))?;
    let members = object.members;
    let kind = kind_of(&members)?;
    let fault = |field: &str, what: &str| Err(format!("{}: {field}: {what}", kind.name()));

    let fields = kind.fields();
    let mut raw: Vec<Option<&str>> = vec![None; fields.len()];
    let mut deleted = None;
    let mut types = 0;
    for (name, value) in &members {
        let twice = match name.as_ref() {
            "type" => {
                types += 1;
                types > 1
            }
            "deleted" => deleted.replace(*value).is_some(),
            name => match fields.iter().position(|field| field.name == name) {
                Some(index) => raw
                    .get_mut(index)
                    .is_some_and(|slot| slot.replace(value).is_some()),
                None => {
                    return fault(&shown(name), &format!("is not a field of {}", kind.name()));
                }
            },
        };
        if twice {
            return fault(name, "stands twice");
        }
    }
    let deleted = match deleted {
        None | Some("null" | "\"\"") => false,
        Some("true") => true,
        Some(other) => return fault("deleted", &format!("{} is not true", shown(other))),
    };
    let mut values = vec![Value::Empty; fields.len()];
    for ((field, raw), value) in fields.iter().zip(&raw).zip(&mut values) {
        // Only the key stands beside `deleted`.
        if deleted && !field.is_key() {
            continue;
        }
        if let Some(raw) = raw {
            *value = match terms::value_from_json(field.form, raw) {
                Ok(value) => value,
                Err(what) if what.starts_with('.') => {
                    return Err(format!("{}: {}{what}", kind.name(), field.name));
                }
                Err(what) => return fault(field.name, &what),
            };
        }
        if field.required && value.is_empty() {
            return fault(field.name, "is missing");
        }
    }
    if deleted {
        let given = |raw: Option<&str>| raw.is_some_and(|raw| !is_empty(raw));
        let mut beside = fields
            .iter()
            .zip(&raw)
            .filter(|(field, raw)| !field.is_key() && given(**raw));
        if let Some((field, _)) = beside.next() {
            return fault(field.name, "does not go with deleted");
        }
    }
    let mut line = Line {
        kind,
        deleted,
        values,
    };
    line.check()
        .map_err(|what| format!("{}: {what}", kind.name()))?;
    Ok(line)
}

impl fmt::Debug for Line<'_> {
    /// Values that are secret are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = f.debug_struct(self.kind.name());
        line.field("deleted", &self.deleted);
        for (field, value) in self.kind.fields().iter().zip(&self.values) {
            let value: &dyn fmt::Debug = if field.form.is_secret() {
                &"..."
            } else {
                value
            };
            line.field(field.name, value);
        }
        line.finish()
    }
}

#[cfg(feature = "sync")]
impl<'a> Line<'a> {
    /// A record that comes; says what is wrong with it.
    pub(crate) fn whole(kind: Kind, values: Vec<Value<'a>>) -> Result<Line<'a>, String> {
        let fields = kind.fields().iter().zip(&values);
        let mut missing = fields.filter(|(field, value)| field.required && value.is_empty());
        if let Some((field, _)) = missing.next() {
            return Err(format!("{}: {}: is missing", kind.name(), field.name));
        }
        let mut line = Line {
            kind,
            deleted: false,
            values,
        };
        line.check()?;
        Ok(line)
    }
}

impl Line<'_> {
    /// The rules that join fields; and what is the same as nothing becomes
    /// nothing, so that equal records are kept alike.
    pub(super) fn check(&mut self) -> Result<(), String> {
        if self.username().len() > integrator::USERNAME_BYTES {
            return Err("username: is longer than 256 bytes".to_owned());
        }
        if self.deleted {
            return Ok(());
        }
        let row = self.kind.row();
        (row.rules)(&self.values)?;
        (row.canonical)(&mut self.values);
        for (field, value) in row.fields.iter().zip(&mut self.values) {
            if field.default == Some(value.text()) {
                *value = Value::Empty;
            }
        }
        Ok(())
    }

    /// The user name, if it is part of the key.
    pub(crate) fn username(&self) -> &str {
        let mut fields = self.kind.fields().iter().zip(&self.values);
        let name = fields.find(|(field, _)| field.form == Form::Username);
        name.map_or("", |(_, value)| value.text())
    }

    /// The numbers of the key, in the order of its fields.
    pub(crate) fn key(&self) -> impl Iterator<Item = u64> {
        let fields = self.kind.fields().iter().zip(&self.values);
        fields
            .filter(|(field, _)| field.is_key())
            .filter_map(|(_, value)| value.integer())
    }

    /// The school whose record it is, if its kind belongs to schools.
    pub(crate) fn school(&self) -> Option<u64> {
        let school = self.kind.is_of_school().then(|| self.key().next());
        school.flatten()
    }
}

fn kind_of(members: &[(Cow<'_, str>, &str)]) -> Result<Kind, String> {
    let Some((_, value)) = members
        .iter()
        .find(|(name, value)| name == "type" && !is_empty(value))
    else {
        return Err("type: is missing".to_owned());
    };
    let name = json::string(value);
    name.and_then(|name| Kind::named(&name))
        .ok_or_else(|| format!("type: {} is not a kind of record", shown(value)))
}

fn is_empty(value: &str) -> bool {
    matches!(value, "null" | "\"\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::field::position;

    fn fault(line: &str) -> String {
        parse(line.as_bytes()).err().unwrap_or_default()
    }

    #[test]
    fn a_line_gives_its_kind_and_values() -> Result<(), String> {
        let text = r#" {"id":"007","type":"learner","school_id":1,"first_name":"\u0041\ud83d\ude00","grade_id":9,"status":"current","photo_url":null} "#;
        let line = parse(text.as_bytes())?;
        let line = line.ok_or("blank")?;
        assert_eq!(
            (line.kind, line.deleted, line.school()),
            (Kind::Learner, false, Some(1))
        );
        assert_eq!(line.key().collect::<Vec<_>>(), [1, 7]);
        let value = |name| line.values.get(position(Kind::Learner.fields(), name));
        assert_eq!(value("first_name").map(Value::text), Some("A😀"));
        assert_eq!(value("status"), Some(&Value::Empty));
        let gone = parse(br#"{"type":"learner","school_id":1,"id":7,"deleted":true,"grade":""}"#)?;
        assert!(gone.is_some_and(|line| line.deleted));
        for blank in ["", " ", "\t \r"] {
            assert_eq!(parse(blank.as_bytes())?, None);
        }
        Ok(())
    }

    #[test]
    fn no_line_is_written_out_with_its_secrets() {
        for secret in ["password", "password_hash"] {
            let hash = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
            let line = format!(r#"{{"type":"integrator","username":"zoe","{secret}":"{hash}"}}"#);
            let written = format!("{:?}", parse(line.as_bytes()));
            assert!(
                written.contains("zoe") && !written.contains("argon2id"),
                "{written}"
            );
        }
    }

    #[test]
    fn faults_name_type_field_and_what() {
        for (line, expected) in [
            (r#"{"school_id":1}"#, "type: is missing"),
            (
                r#"{"type":"lerner"}"#,
                r#"type: "lerner" is not a kind of record"#,
            ),
            (r#"{"type":5}"#, "type: 5 is not a kind of record"),
            (
                r#"{"type":"grade","school_id":1,"grade_id":2,"nick\u006eame":1}"#,
                "grade: nickname: is not a field of grade",
            ),
            (
                r#"{"type":"grade","type":"grade"}"#,
                "grade: type: stands twice",
            ),
            (
                r#"{"type":"grade","school_id":1,"school\u005fid":1}"#,
                "grade: school_id: stands twice",
            ),
            (
                r#"{"type":"grade","grade_id":2}"#,
                "grade: school_id: is missing",
            ),
            (
                r#"{"type":"grade","school_id":-1,"grade_id":2}"#,
                "grade: school_id: -1 is not an unsigned integer (at most 18446744073709551615)",
            ),
            (
                r#"{"type":"grade","school_id":1.0,"grade_id":2}"#,
                "grade: school_id: 1.0 is not an unsigned integer (at most 18446744073709551615)",
            ),
            (
                r#"{"type":"grade","school_id":1,"grade_id":2,"grade":true}"#,
                "grade: grade: true is not text (a string or an integer)",
            ),
            (
                r#"{"type":"learner","school_id":1,"id":2,"date_of_birth":"2018-02-30"}"#,
                r#"learner: date_of_birth: "2018-02-30" is not a date (YYYY-MM-DD)"#,
            ),
            (
                r#"{"type":"learner","school_id":1,"id":2,"deleted":false}"#,
                "learner: deleted: false is not true",
            ),
            (
                r#"{"type":"learner","school_id":1,"id":2,"deleted":true,"grade":"7"}"#,
                "learner: grade: does not go with deleted",
            ),
            (
                r#"{"type":"integrator","username":"u"}"#,
                "integrator: password: is missing",
            ),
            (
                r#"{"type":"integrator","username":"u","password":"p","password_hash":"h"}"#,
                "integrator: password: does not go with password_hash",
            ),
            (
                r#"{"type":"school","school_id":1,"current_year":2026,"has_hostel":"yes"}"#,
                r#"school: has_hostel: "yes" is not one of Yes, No"#,
            ),
            (
                r#"{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{"term":1,"mark":"x"}]}"#,
                r#"learner_subject: terms.mark: "x" is not a decimal (at most 12 digits, then at most 6 after a point)"#,
            ),
            (
                r#"{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{"term":1},{"term":"01"}]}"#,
                "learner_subject: terms: term 1 stands twice",
            ),
        ] {
            assert_eq!(fault(line), expected, "{line}");
        }
        for not_json in [
            "{",
            "[]",
            "5",
            r#"{"type":"grade"} x"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":"\udc00\ud800"}"#,
            r#"{"\ud800":1}"#,
            "{\"a\":\"\u{1}\"}",
        ] {
            assert!(
                fault(not_json).starts_with("is not a JSON object: "),
                "{not_json}: {}",
                fault(not_json)
            );
        }
        assert_eq!(parse(b"{\"\xff\":1}"), Err("is not UTF-8".to_owned()));
        assert_eq!(
            parse(&vec![b' '; LINE_BYTES + 1]),
            Err("is longer than 1 MiB".to_owned())
        );
        assert_eq!(parse(&vec![b' '; LINE_BYTES]), Ok(None));
    }

    #[test]
    fn families_are_some_of_four() {
        for (line, expected) in [
            (
                r#"{"type":"api_type","api_type_id":8,"family":[]}"#,
                "api_type: family: is missing",
            ),
            (
                r#"{"type":"api_type","api_type_id":8,"family":["finance","finance"]}"#,
                r#"api_type: family: ["finance","finance"] is not an array of administration, curriculum, finance, parents, each at most once"#,
            ),
            (
                r#"{"type":"api_type","api_type_id":8,"family":"[\"finance\",\"parents\"]"}"#,
                r#"api_type: family: "[\"finance\",\"parents\"]" is not one of administration, curriculum, finance, parents"#,
            ),
        ] {
            assert_eq!(fault(line), expected, "{line}");
        }
    }

    #[test]
    fn faults_show_no_password() {
        for form in [
            "5",
            "1.5",
            "true",
            r#"["hunter2"]"#,
            r#"{"a":"hunter2"}"#,
            r#"[["hunter2"]]"#,
        ] {
            for field in ["password", "password_hash", "p\\u0061ssword"] {
                let line = format!(r#"{{"type":"integrator","username":"u","{field}":{form}}}"#);
                let fault = fault(&line);
                let named = fault.starts_with("integrator: password");
                assert!(form == "5" || named, "{line}: {fault}");
                assert!(
                    !fault.contains("hunter2") && !fault.contains(form),
                    "{fault}"
                );
            }
        }
        for secret in [
            r#""hunter2""#,
            r#"["password","hunter2"]"#,
            r#"{"type":{"Pass\u0077ord":"hunter2"},"school_id":1}"#,
            r#"{"type":"learner","school_id":["PASSWORD","hunter2"],"id":1}"#,
            r#"{"type":"integrator","password":"hunter2"#,
            r#"{"type":"integrator","password":"hunter2",}"#,
            r#"{"type":"integrator","password":hunter2}"#,
            r#"{"type":"integrator","password":"hunter2\x"}"#,
            r#"{"type":"integrator","password":"hunter2\ud800"}"#,
            "{\"type\":\"integrator\",\"password\":\"hunter2\u{1}\"}",
            r#"{"type":"integrator","password":"hunter2","password":"hunter2"}"#,
            r#"{"type":"integrator","Password":"hunter2"}"#,
            r#"{"type":"integratr","password":"hunter2"}"#,
            r#"{"type":"learner","school_id":1,"id":1,"password":"hunter2"}"#,
            r#"{"type":"integrator","username":"u","password":"hunter2","deleted":true}"#,
            r#"{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":{"password":"hunter2"}}"#,
        ] {
            let fault = fault(secret);
            assert!(!fault.is_empty() && !fault.contains("hunter2"), "{fault}");
        }
    }

    #[test]
    fn faults_show_little_of_a_long_value_or_name() {
        let long = "x".repeat(1000);
        for line in [
            format!("\"{long}\""),
            format!(r#"{{"type":"{long}"}}"#),
            format!(r#"{{"type":"grade","{long}":1}}"#),
            format!(r#"{{"type":"grade","school_id":"{long}"}}"#),
            format!(
                r#"{{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{{"{long}":1}}]}}"#
            ),
        ] {
            let fault = fault(&line);
            assert!(!fault.is_empty() && !fault.contains(&long[..65]), "{fault}");
        }
    }
}
