//! The subcommands of `rollbook ask`, which are made from the OpenAPI document of v1.

use crate::UsageError;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Subcommand};
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write as _;

const OPENAPI: &str = include_str!("../../../assets/openapi-v1.json");

/// The segment of a path that is replaced by the id of the school.
const SCHOOL: &str = "/{school_login_id}";
/// The segment of a path that is replaced by the id of a record.
const ID: &str = "/{id}";

/// A question to the store.
pub(super) enum Question {
    /// An endpoint of v1, with its parameters.
    Endpoint {
        endpoint: Endpoint,
        id: Option<u64>,
        query: Vec<(String, String)>,
    },
    /// The target of a request.
    Target(String),
}

/// An endpoint of v1.
#[derive(Clone)]
pub(super) struct Endpoint {
    /// The path, without the school and the record.
    path: String,
    summary: String,
    parameters: Vec<Parameter>,
    has_school: bool,
    /// Whether the path without the school is also an endpoint.
    is_school_optional: bool,
    has_id: bool,
}

/// A parameter of the query string.
#[derive(Clone)]
struct Parameter {
    name: String,
    is_required: bool,
    /// Whether the parameter may be given without a value.
    is_switch: bool,
    /// The placeholder of the value in the help.
    value_name: &'static str,
    /// The permitted values, if they are words.
    words: Vec<String>,
}

impl Endpoint {
    /// Reads the endpoints of the document.
    fn all() -> Vec<Endpoint> {
        let document: Value = serde_json::from_str(OPENAPI).unwrap_or_default();
        let mut endpoints: Vec<Endpoint> = Vec::new();
        let paths = document.get("paths").and_then(Value::as_object);
        for (path, methods) in paths.into_iter().flatten() {
            let Some(operation) = methods.get("get") else {
                continue;
            };
            let (base, has_school, has_id) = if let Some(base) = path.strip_suffix(SCHOOL) {
                (base, true, false)
            } else if let Some(base) = path.strip_suffix(ID) {
                (base, false, true)
            } else {
                (path.as_str(), false, false)
            };
            // The document has the path without the last segment before the one with it.
            if let Some(shorter) = endpoints.iter_mut().find(|one| one.path == base) {
                shorter.has_school |= has_school;
                shorter.has_id |= has_id;
                continue;
            }
            let parameters = operation.get("parameters").and_then(Value::as_array);
            endpoints.push(Endpoint {
                path: base.to_owned(),
                summary: text(operation, "summary"),
                parameters: parameters
                    .into_iter()
                    .flatten()
                    .filter_map(Parameter::read)
                    .collect(),
                has_school,
                is_school_optional: !has_school,
                has_id,
            });
        }
        endpoints
    }

    /// Returns the name of the subcommand, which is the last segment of the path.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.name().to_owned()).about(self.summary.clone());
        if self.has_id {
            command = command.arg(
                Arg::new("id")
                    .long("id")
                    .value_name("ID")
                    .value_parser(clap::value_parser!(u64))
                    .help("The id of one record"),
            );
        }
        for parameter in &self.parameters {
            command = command.arg(parameter.argument());
        }
        command
    }
}

impl Parameter {
    /// Reads a parameter, unless it is a part of the path.
    fn read(parameter: &Value) -> Option<Parameter> {
        let is_query = parameter.get("in")? == "query";
        let flag = |name| parameter.get(name).and_then(Value::as_bool) == Some(true);
        is_query.then(|| Parameter {
            name: text(parameter, "name"),
            is_required: flag("required"),
            is_switch: flag("allowEmptyValue"),
            value_name: value_name(parameter.get("schema")),
            words: words(parameter.get("schema")).unwrap_or_default(),
        })
    }

    fn help(&self) -> String {
        let mut help = format!("The parameter {}", self.name);
        if !self.words.is_empty() {
            help += ": ";
            help += &self.words.join(", ");
        }
        help
    }

    fn argument(&self) -> Arg {
        let flag = self.name.replace('_', "-");
        let mut argument = Arg::new(self.name.clone())
            .long(flag.clone())
            .value_name(self.value_name)
            .required(self.is_required)
            .help(self.help())
            .action(ArgAction::Set);
        // `--grade` is as clear as `--grade-id`.
        if let Some(short) = flag.strip_suffix("-id") {
            argument = argument.visible_alias(short.to_owned());
        }
        if self.is_switch {
            argument = argument
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("1");
        }
        argument
    }
}

/// Returns the placeholder for a value of a schema.
fn value_name(schema: Option<&Value>) -> &'static str {
    let member = |name| schema.and_then(|schema| schema.get(name)?.as_str());
    match (member("type"), member("format")) {
        (_, Some("date")) => "DATE",
        (Some("integer"), _) => "NUMBER",
        (Some("array"), _) => "NUMBERS",
        (Some("boolean"), _) => "0|1",
        _ => "TEXT",
    }
}

fn words(schema: Option<&Value>) -> Option<Vec<String>> {
    let words = schema?.get("enum")?.as_array()?.iter();
    Some(words.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn text(object: &Value, name: &str) -> String {
    let text = object.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

impl Question {
    /// Returns the target of the request.
    pub(super) fn target(&self, school: Option<u64>) -> Result<String, UsageError> {
        let (endpoint, id, query) = match self {
            Question::Target(target) => return Ok(target.clone()),
            Question::Endpoint {
                endpoint,
                id,
                query,
            } => (endpoint, id, query),
        };
        let mut target = endpoint.path.clone();
        let last = if endpoint.has_school { school } else { *id };
        match last {
            Some(last) => {
                let _ = write!(target, "/{last}");
            }
            None if endpoint.has_school && !endpoint.is_school_optional => {
                let text = "the store has not exactly one school: give --school ID";
                return Err(UsageError(text.to_owned()));
            }
            None => {}
        }
        for (place, (name, value)) in query.iter().enumerate() {
            let separator = if place == 0 { '?' } else { '&' };
            target.push(separator);
            // Writing to a string does not fail.
            let _ = write!(target, "{name}={}", encode(value));
        }
        Ok(target)
    }
}

/// Encodes a value for a query string.
fn encode(value: &str) -> String {
    let mut encoded = String::new();
    for byte in value.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~,".contains(&byte);
        if is_plain {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

impl Subcommand for Question {
    fn augment_subcommands(command: Command) -> Command {
        command
            .allow_external_subcommands(true)
            .subcommands(Endpoint::all().iter().map(Endpoint::command))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Question::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name.starts_with('/') || Endpoint::all().iter().any(|one| one.name() == name)
    }
}

impl FromArgMatches for Question {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Question, clap::Error> {
        let Some((name, given)) = matches.subcommand() else {
            let text = "give a question, for example learners; `rollbook ask --help` lists them\n";
            return Err(clap::Error::raw(ErrorKind::MissingSubcommand, text));
        };
        if let Some(endpoint) = Endpoint::all().into_iter().find(|one| one.name() == name) {
            let value = |name: &str| given.get_one::<String>(name).cloned();
            let query = endpoint.parameters.iter();
            let query = query.filter_map(|one| Some((one.name.clone(), value(&one.name)?)));
            return Ok(Question::Endpoint {
                query: query.collect(),
                id: endpoint
                    .has_id
                    .then(|| given.get_one::<u64>("id").copied())
                    .flatten(),
                endpoint,
            });
        }
        let has_more = given
            .get_many::<OsString>("")
            .is_some_and(|more| more.len() > 0);
        if name.starts_with('/') && !has_more {
            return Ok(Question::Target(name.to_owned()));
        }
        let text = if has_more {
            "give all options before the target of a request\n".to_owned()
        } else {
            format!(
                "unknown question '{name}': give an endpoint of v1, for example learners, or a target, for example '/api/v2/adminplus/learners?limit=5'\n"
            )
        };
        Err(clap::Error::raw(ErrorKind::InvalidSubcommand, text))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Question::from_arg_matches(matches)?;
        Ok(())
    }
}
