//! Values at the limits of what a field accepts: just valid or just invalid.

const TEXTS: [&str; 14] = [
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "{\"a\": [1, \"\\u0041\"] }",
    "1.0",
    "1e3",
    "-0",
    "-5",
    "1e999",
    "12345678901234567890123",
    "\"\"",
    "[\"a long text of more than sixty-four characters, which no message shows whole: é\\u00e9\"]",
];

const INTEGERS: [&str; 13] = [
    "18446744073709551615",
    "18446744073709551616",
    "\"018446744073709551615\"",
    "\"18446744073709551616\"",
    "1.0",
    "1e1",
    "-0",
    "-1",
    "\"+1\"",
    "\" 1\"",
    "\"1 \"",
    "\"١\"",
    "\"0x1\"",
];

const SIGNED: [&str; 14] = [
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "\"-9223372036854775809\"",
    "\"-007\"",
    "-0",
    "\"+1\"",
    "\"-\"",
    "\"--1\"",
    "\" 1\"",
    "\"-١\"",
    "1.0",
    "1e1",
    "true",
];

const LISTS: [&str; 12] = [
    "[]",
    "[ \"English\" , 7, -0 ]",
    "[\"\\u00e9 \\\"\"]",
    "[\"\"]",
    "[\"English\",null]",
    "[true]",
    "[1.0]",
    "[1e3]",
    "[[\"English\"]]",
    "\"English\"",
    "{}",
    "7",
];

const BITS: [&str; 8] = [
    "2", "\"01\"", "\"2\"", "true", "\"true\"", "1.0", "-1", "\"Yes\"",
];

const DATES: [&str; 14] = [
    "\"2024-02-29\"",
    "\"2023-02-29\"",
    "\"1900-02-29\"",
    "\"2026-04-31\"",
    "\"2026-13-01\"",
    "\"2026-00-01\"",
    "\"2026-01-00\"",
    "\"0000-01-01\"",
    "\"0001-01-01\"",
    "\"9999-12-31\"",
    "\"2026-1-01\"",
    "\"２026-01-01\"",
    "\"2026-01-01 00:00:00\"",
    "20260101",
];

const DATE_TIMES: [&str; 11] = [
    "\"2024-02-29 23:59:59\"",
    "\"2024-02-29 24:00:00\"",
    "\"2024-02-29 23:60:00\"",
    "\"2024-02-29 23:59:60\"",
    "\"2023-02-29 00:00:00\"",
    "\"2024-02-29T00:00:00\"",
    "\"2024-02-29  00:00:00\"",
    "\"2024-02-29 00:00\"",
    "\"2024-02-29\"",
    "\"2024-02-29 0:00:00\"",
    "\"0000-02-29 00:00:00\"",
];

const DECIMALS: [&str; 20] = [
    "999999999999",
    "1000000000000",
    "\"000000000001\"",
    "\"0000000000001\"",
    "-999999999999.999999",
    "0.000001",
    "0.0000001",
    "\"1.1234567\"",
    "\"0.0000000\"",
    "\"-0\"",
    "\"--1\"",
    "\"+1\"",
    "\".5\"",
    "\"5.\"",
    "\"1e2\"",
    "1e2",
    "1E0",
    "\" 1\"",
    "\"1,5\"",
    "\"a\"",
];

const OFFSETS: [&str; 11] = [
    "\"+18:00\"",
    "\"-18:00\"",
    "\"+18:01\"",
    "\"-18:30\"",
    "\"+19:00\"",
    "\"+02:60\"",
    "\"02:00\"",
    "\"+2:00\"",
    "\"+0200\"",
    "\"Z\"",
    "120",
];

const CHOICES: [&str; 8] = [
    "\"yes\"",
    "\"No \"",
    "\"Left\"",
    "\"current\"",
    "\"administration\"",
    "\"Parents\"",
    "1",
    "true",
];

const FAMILIES: [&str; 13] = [
    "[]",
    "[\"parents\"]",
    "[ \"parents\" , \"\\u0061dministration\" ]",
    "[\"parents\",\"parents\"]",
    "[\"parents\",\"Finance\"]",
    "[\"parents\",\"\"]",
    "[\"parents\",null]",
    "[7]",
    "\"[\\\"parents\\\"]\"",
    "\"Parents\"",
    "{}",
    "1",
    "true",
];

const TERMS: [&str; 13] = [
    "[]",
    "[{}]",
    "[1]",
    "[{\"term\":1},[]]",
    "[{\"term\":1},{\"term\":\"01\"}]",
    "[{\"term\":2},{\"term\":1},{\"term\":2}]",
    "[{\"term\":1,\"colour\":2}]",
    "[{\"term\":1,\"ter\\u006d\":1}]",
    "[{\"term\":1,\"deleted\":true}]",
    "[{\"mark\":1}]",
    "[{\"term\":null}]",
    "[ {\"term\":1, \"mark\":\"1.\"} ]",
    "[{\"term\":1,\"classroom_name\":{}}]",
];

/// Returns values at the limits of the form of a field, or for a text, values that are not texts.
pub(super) fn near_misses(kind: &str, field: &str) -> &'static [&'static str] {
    match (kind, field) {
        ("learner", "grade_id" | "accountable_person_id") => &TEXTS,
        (
            _,
            "school_id"
            | "id"
            | "learner_id"
            | "api_type_id"
            | "grade_id"
            | "subject_id"
            | "year"
            | "term"
            | "term_id"
            | "current_year"
            | "assessment_id"
            | "learning_outcome_id"
            | "accountable_person_id",
        ) => &INTEGERS,
        (_, "discipline_points") => &SIGNED,
        (_, "tuition_languages") => &LISTS,
        (_, "state" | "captured" | "released") => &BITS,
        (_, "family") => &FAMILIES,
        (_, "dtime") => &DATE_TIMES,
        (_, "utc_offset") => &OFFSETS,
        (_, "terms") => &TERMS,
        (_, "mark" | "percentage" | "weight" | "mark_out_of" | "gross_annual_income") => &DECIMALS,
        (_, "status" | "is_educator" | "account") => &CHOICES,
        (_, name) if name.starts_with("has_") || name.starts_with("uses_") => &CHOICES,
        (_, name) if name.contains("date") || name == "date_of_birth" => &DATES,
        _ => &TEXTS,
    }
}
