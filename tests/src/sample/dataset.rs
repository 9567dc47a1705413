//! What a line of a dataset must be, so that the samples can be held against it.

use serde_json::Value;

/// Each kind with its fields in order: `*` marks a key, `!` what is required, `:` a form other than text.
const KINDS: &str = "
school *school_id:integer school_name school_short_name ownership_type country province town suburb district district_code circuit quantile emis_number telephone_number lowest_grade highest_grade admin_email_address debtors_email_address finance_email_address physical_address postal_address has_after_school_center:flag has_hostel:flag uses_debit_orders:flag uses_cashless:flag telephone_calling_code !current_year:integer utc_offset:offset
api_type *api_type_id:integer api_type !family:family
integrator *username !password
client_integration *username *school_id:integer *api_type_id:integer state:bit
year *school_id:integer *year:integer year_name
term *school_id:integer *year:integer *term:integer !term_id:integer !start_date:date !end_date:date
grade *school_id:integer *grade_id:integer grade
parent *school_id:integer *id:integer title first_name last_name mobile_calling_code mobile_number email_address date_of_birth:date gender ethnic_group_id ethnic_group residential_address postal_address home_language_id home_language nationality family_code id_number passport_number marital_status_id marital_status occupation_status occupation employment_sector gross_annual_income:decimal
learner *school_id:integer *id:integer first_name last_name mobile_calling_code mobile_number email_address date_of_birth:date gender ethnic_group_id ethnic_group home_language_id home_language tuition_language_id tuition_language nationality admission_number family_code id_number passport_number grade_id grade register_class_name register_class_teacher_id country province education_stream photo_url parent1_id parent2_id status:status transfer_date:date debtor_code accountable_person_id
subject *school_id:integer *subject_id:integer subject_name super_subject_id super_subject_name
learner_subject *school_id:integer *learner_id:integer *year:integer *subject_id:integer !grade_id:integer terms:terms
learning_outcome *school_id:integer *learning_outcome_id:integer learning_outcome_name
learning_program *school_id:integer *grade_id:integer *year:integer *term:integer *subject_id:integer mark_release_date:date
assessment *school_id:integer *assessment_id:integer !grade_id:integer !year:integer !term:integer !subject_id:integer !learning_outcome_id:integer assessment_name !assessment_date:date !weight:decimal !mark_out_of:decimal
mark *school_id:integer *assessment_id:integer *learner_id:integer mark:decimal percentage:percentage captured:bit dtime:datetime
absentee *school_id:integer *id:integer !learner_id:integer !absent_date:date absent_reason
accountable_person *school_id:integer *accountable_person_id:integer title first_name full_names last_name debtor_code mobile_calling_code mobile_number work_tel_number home_tel_number email_address residential_address postal_address home_language nationality id_number passport_number employer employer_address
terms *term:integer subject_group_id subject_group_name classroom_id classroom_name subject_group_teacher_id mark:decimal
";

/// A line that has been held against the format.
pub(super) struct Checked {
    pub(super) kind: String,
    /// The values of the key fields, integers without leading zeros.
    pub(super) key: Vec<String>,
    pub(super) value: Value,
    /// Whether the fields stand in the order of the format.
    pub(super) in_order: bool,
}

impl Checked {
    /// The text of a field, empty if the line has none.
    pub(super) fn text(&self, field: &str) -> String {
        let value = &self.value[field];
        value.as_str().map_or_else(
            || {
                if value.is_null() {
                    String::new()
                } else {
                    value.to_string()
                }
            },
            str::to_owned,
        )
    }

    /// The integer of a field that holds one.
    pub(super) fn number(&self, field: &str) -> u64 {
        self.text(field).parse().unwrap()
    }
}

/// The names of a kind's fields, in order and without what is known of them.
pub(super) fn fields(kind: &str) -> Vec<&'static str> {
    let words = specification(kind).split(' ').skip(1);
    words
        .map(|word| name_of(word.trim_start_matches(['*', '!'])))
        .collect()
}

fn name_of(word: &'static str) -> &'static str {
    word.split_once(':').map_or(word, |(name, _)| name)
}

fn specification(kind: &str) -> &'static str {
    let mut kinds = KINDS.lines();
    let found = kinds.find(|line| line.split(' ').next() == Some(kind) && !kind.is_empty());
    found.unwrap_or_else(|| panic!("{kind:?} is no kind"))
}

/// Holds a line against the format; panics with the fault if there is one.
pub(super) fn check(line: &str) -> Checked {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let members = members(line);
    let kind = value["type"].as_str().expect("a type").to_owned();
    let (key, in_order) = check_object(&kind, &members, line);
    let left =
        value["status"] == "left" && value["transfer_date"].as_str().is_none_or(str::is_empty);
    assert!(!left, "no transfer date: {line}");
    Checked {
        kind,
        key,
        value,
        in_order,
    }
}

fn check_object(kind: &str, members: &[(String, &str)], line: &str) -> (Vec<String>, bool) {
    let specification = specification(kind);
    let fields = fields(kind);
    let mut places = Vec::new();
    for (name, _) in members.iter().filter(|(name, _)| name != "type") {
        let place = fields.iter().position(|field| field == name);
        let place = place.unwrap_or_else(|| panic!("{name} is not a field: {line}"));
        assert!(!places.contains(&place), "{name} stands twice: {line}");
        places.push(place);
    }
    let types = members.iter().filter(|(name, _)| name == "type").count();
    assert_eq!(types, usize::from(kind != "terms"), "{line}");

    let mut key = Vec::new();
    for (word, field) in specification.split(' ').skip(1).zip(fields) {
        let raw = members
            .iter()
            .find(|(name, _)| name == field)
            .map(|(_, raw)| *raw);
        let raw = raw.filter(|raw| !matches!(*raw, "null" | "\"\""));
        let form = word.split_once(':').map_or("text", |(_, form)| form);
        assert!(
            raw.is_some() || !word.starts_with(['*', '!']),
            "{field} is missing: {line}"
        );
        if let Some(raw) = raw {
            assert!(has_form(form, raw), "{field} is no {form}: {line}");
            if word.starts_with('*') {
                let text = text_of(raw);
                let digits = text.trim_start_matches('0');
                let digits = if digits.is_empty() { "0" } else { digits };
                key.push(if form == "integer" {
                    digits.to_owned()
                } else {
                    text
                });
            }
        }
    }
    (key, places.is_sorted())
}

/// A string's text, or a number's literal.
fn text_of(raw: &str) -> String {
    serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())
}

fn has_form(form: &str, raw: &str) -> bool {
    let text = text_of(raw);
    let is_string = raw.starts_with('"');
    let is_literal =
        !raw.contains(['e', 'E']) && raw.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    match form {
        "text" => is_string || (is_literal && !raw.contains('.')),
        "integer" => (is_string || is_literal) && digits(&text) && text.parse::<u64>().is_ok(),
        "bit" => matches!(text.as_str(), "0" | "1"),
        "decimal" => (is_string || is_literal) && decimal(&text),
        "percentage" => raw == "\"a\"" || has_form("decimal", raw),
        "date" => is_string && date(&text),
        "datetime" => is_string && datetime(&text),
        "flag" => matches!(text.as_str(), "Yes" | "No"),
        "status" => matches!(text.as_str(), "current" | "left" | "waitlist"),
        "family" => matches!(
            text.as_str(),
            "administration" | "curriculum" | "finance" | "parents"
        ),
        "offset" => is_string && text.len() == 6,
        "terms" => {
            let terms = split(&raw[1..raw.len() - 1], ',')
                .into_iter()
                .filter(|t| !t.trim().is_empty());
            let mut keys: Vec<_> = terms
                .map(|term| check_object("terms", &members(term), term).0)
                .collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            raw.starts_with('[') && keys.len() == count
        }
        _ => panic!("{form:?} is no form"),
    }
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn decimal(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    digits(whole) && whole.len() <= 12 && digits(part) && part.len() <= 6
}

fn date(text: &str) -> bool {
    let parsed: Result<jiff::civil::Date, _> = text.parse();
    text.len() == 10 && parsed.is_ok_and(|date| date.year() > 0 && date.to_string() == text)
}

fn datetime(text: &str) -> bool {
    let parsed: Result<jiff::civil::DateTime, _> = text.parse();
    text.len() == 19 && date(&text[..10]) && text.as_bytes()[10] == b' ' && parsed.is_ok()
}

/// The names of an object, decoded, and the raw text of their values.
fn members(object: &str) -> Vec<(String, &str)> {
    let inner = object
        .trim()
        .strip_prefix('{')
        .unwrap()
        .strip_suffix('}')
        .unwrap();
    split(inner, ',')
        .into_iter()
        .map(|member| {
            let parts = split(member, ':');
            (
                serde_json::from_str(parts[0].trim()).unwrap(),
                parts[1].trim(),
            )
        })
        .collect()
}

/// Splits JSON text at a separator outside of strings, arrays and objects.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut in_string, mut escaped) = (0, 0, false, false);
    for (place, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
