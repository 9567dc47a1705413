//! Reads the files of the corpus.

use super::folder;
use super::records::Records;
use super::step::{Case, Expected, Message, Request, Step};
use crate::login;
use std::fs;
use std::path::PathBuf;

/// Files whose cases test passwords. Their logins are not replaced by quick ones.
const ABOUT_PASSWORDS: [&str; 3] = ["access-credentials", "dataset-faults", "dataset-values"];

/// The directives that are not requests.
const NO_METHODS: [&str; 10] = [
    "case",
    "use",
    "apply",
    "check",
    "replace_school",
    "remove_school",
    "erase_learner",
    "at",
    "as",
    "export",
];

/// The numbers of cases and requests of the corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of cases.
    pub cases: usize,
    /// The number of requests in all cases.
    pub requests: usize,
}

/// Returns all cases of all files, in the order of the file names. Unless a case tests passwords,
/// its logins are [`quick`](login::quick).
pub fn cases() -> Vec<Case> {
    let mut cases = cases_in_clear();
    for case in &mut cases {
        if ABOUT_PASSWORDS
            .iter()
            .any(|file| case.name.starts_with(file))
        {
            continue;
        }
        for step in &mut case.steps {
            if let Some(dataset) = step.dataset_mut() {
                *dataset = login::quick(dataset);
            }
        }
    }
    cases
}

/// Returns all cases with every password in clear, as in the files, for programs that cannot use
/// hashes.
pub fn cases_in_clear() -> Vec<Case> {
    let records = Records::read();
    let read = |(name, text): &(String, String)| parse(name, text, &records);
    files().iter().flat_map(read).collect()
}

/// Returns the numbers of cases and requests. They are counted in the lines of the files,
/// independently of the parser, so that a test can check that it ran all of them.
pub fn size() -> Size {
    let mut size = Size::default();
    for (_, text) in files() {
        for line in text.split('\n').filter(|line| !line.is_empty()) {
            let word = line.split(' ').next().unwrap();
            size.cases += usize::from(word == "case");
            // Content begins with a space, so that its first word is empty.
            let is_request =
                !word.is_empty() && !word.starts_with('#') && !NO_METHODS.contains(&word);
            size.requests += usize::from(is_request);
        }
    }
    size
}

/// Returns the name and the text of each file of cases, in the order of the names.
fn files() -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "case")
        })
        .collect();
    files.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        (name.to_owned(), fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}

/// The state that directives set for the following steps of a case.
struct Setting {
    now: i64,
    user: Option<(String, String)>,
}

fn parse(file: &str, text: &str, records: &Records) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut setting = beginning();
    let mut lines = text
        .split('\n')
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .peekable();
    while let Some(directive) = lines.next() {
        assert!(
            !directive.starts_with(' '),
            "{file}: {directive:?} belongs to nothing"
        );
        let mut content = Vec::new();
        while let Some(line) = lines.peek().and_then(|line| line.strip_prefix("  ")) {
            content.push(line);
            lines.next();
        }
        let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        match word {
            "case" => {
                setting = beginning();
                let name = format!("{file}: {rest}");
                cases.push(Case {
                    name,
                    steps: Vec::new(),
                });
            }
            "at" => setting.now = rest.parse::<jiff::Timestamp>().unwrap().as_second(),
            "as" => {
                let user = rest.split_once(' ');
                setting.user = user.map(|(user, word)| (user.to_owned(), word.to_owned()));
            }
            _ => {
                let step = step(word, rest, &content, &setting, records);
                cases.last_mut().unwrap().steps.push(step);
            }
        }
    }
    cases
}

fn beginning() -> Setting {
    Setting {
        now: 1_778_745_600, // 2026-05-14T08:00:00Z
        user: Some(("demo".to_owned(), "demo".to_owned())),
    }
}

fn step(word: &str, rest: &str, content: &[&str], setting: &Setting, records: &Records) -> Step {
    let number = |text: &str| text.parse().unwrap();
    match word {
        "use" => {
            let dataset = fs::read_to_string(folder().join(rest)).unwrap();
            Step::Apply(dataset, Expected::default())
        }
        "apply" => {
            let (dataset, expected, _) = dataset(content);
            Step::Apply(dataset, expected)
        }
        "check" => {
            let (dataset, _, faults) = dataset(content);
            Step::Check(dataset, rest.parse().unwrap(), faults)
        }
        "replace_school" => {
            let (dataset, expected, _) = dataset(content);
            Step::ReplaceSchool(number(rest), dataset, expected)
        }
        "remove_school" => Step::RemoveSchool(number(rest), dataset(content).1),
        "erase_learner" => {
            let (school, learner) = rest.split_once(' ').unwrap();
            Step::EraseLearner(number(school), number(learner), dataset(content).1)
        }
        "export" => Step::Export(lines_of(content)),
        method => {
            let mut request = request(method, rest, content, setting);
            let empty = if is_v2(rest) { "null" } else { "\"\"" };
            request.answer = records.whole(&request.answer, empty);
            Step::Request(setting.now, request)
        }
    }
}

/// Returns whether a target belongs to v2, even if its path is percent-encoded.
fn is_v2(target: &str) -> bool {
    let mut parts = target.split('%');
    let mut decoded = parts.next().unwrap().to_owned();
    for part in parts {
        let byte = part.get(..2).map(|hex| u8::from_str_radix(hex, 16));
        if let Some(Ok(byte)) = byte {
            decoded.push(char::from(byte));
            decoded.push_str(&part[2..]);
        }
    }
    decoded.contains("/api/v2/")
}

/// Returns the lines, each followed by a line feed.
fn lines_of(content: &[&str]) -> String {
    content.iter().flat_map(|line| [line, "\n"]).collect()
}

fn dataset(content: &[&str]) -> (String, Expected, Vec<Message>) {
    let mut dataset = String::new();
    let mut counts = Vec::new();
    let mut faults = Vec::new();
    for line in content {
        if let Some(start) = line.strip_prefix("!~ ") {
            faults.push(Message::Starts(start.to_owned()));
        } else if let Some(whole) = line.strip_prefix("! ") {
            faults.push(Message::Is(whole.to_owned()));
        } else if let Some(count) = line.strip_prefix("= ") {
            counts.push(count.to_owned());
        } else {
            dataset.push_str(line);
            dataset.push('\n');
        }
    }
    let expected = Expected {
        fault: faults.first().cloned(),
        counts,
    };
    (dataset, expected, faults)
}

fn request(method: &str, target: &str, content: &[&str], setting: &Setting) -> Request {
    let mut headers = Vec::new();
    let mut body = String::new();
    let mut rest = content.iter().copied().peekable();
    while let Some(line) = rest.peek() {
        if let Some(header) = line.strip_prefix("header ") {
            let (name, value) = header
                .split_once(": ")
                .unwrap_or((header.trim_end_matches(':'), ""));
            headers.push((name.to_owned(), value.to_owned()));
        } else if let Some(text) = line.strip_prefix("body ") {
            text.clone_into(&mut body);
        } else if let Some(bytes) = line.strip_prefix("blanks ") {
            let missing = bytes.parse::<usize>().unwrap() - body.len();
            body.extend(std::iter::repeat_n(' ', missing));
        } else {
            break;
        }
        rest.next();
    }
    let status = rest.next().unwrap().parse().unwrap();
    let allow = rest.peek().and_then(|line| line.strip_prefix("allow: "));
    if allow.is_some() {
        rest.next();
    }
    let answer = rest
        .next()
        .unwrap_or_else(|| panic!("{method} {target}: no body"));
    assert_eq!(rest.next(), None, "{method} {target}: a line too many");
    if let Some((user, password)) = &setting.user {
        for (name, value) in [("HTTP-X-USERNAME", user), ("HTTP-X-PASSWORD", password)] {
            if !headers
                .iter()
                .any(|(given, _)| given.eq_ignore_ascii_case(name))
            {
                headers.push((name.to_owned(), value.clone()));
            }
        }
    }
    Request {
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        body,
        status,
        allow: allow.map(str::to_owned),
        answer: answer.to_owned(),
    }
}
