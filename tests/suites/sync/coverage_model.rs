//! Predicts which requests a mirror refuses, from the calls whose answers were stored. A refusal
//! that is not predicted here is an error.

use rollbook_tests::twin::percent_decoded;
use std::collections::BTreeMap;

/// A request of v1 or v2.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The last part of the path in v1.
    endpoint: String,
    /// The id of a record in the path.
    pub(crate) id: Option<u64>,
    params: BTreeMap<String, String>,
}

/// The endpoints that have other names in v2.
const RENAMED: [(&str, &str); 3] = [
    ("debtmanagement/learners", "learnerparentinfo"),
    ("debtmanagement/accountablepersons", "schooldebtors"),
    ("settings/clientintegrations", "clients"),
];

impl Asked {
    pub(crate) fn parse(target: &str, school: u64) -> Asked {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut path = path.trim_end_matches('/').to_owned();
        let mut id = None;
        while let Some((before, last)) = path.rsplit_once('/')
            && let Ok(number) = last.parse::<u64>()
        {
            if path.starts_with("/api/v2/") || number != school {
                id = Some(number);
            }
            path = before.to_owned();
        }
        let renamed = RENAMED
            .into_iter()
            .find(|(end, _)| path.starts_with("/api/v2/") && path.ends_with(end));
        let endpoint = match renamed {
            Some((_, name)) => name.to_owned(),
            None => path.rsplit('/').next().unwrap_or_default().to_owned(),
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let params = pairs.map(|(name, value)| (decoded(name), decoded(value)));
        Asked {
            endpoint,
            id,
            params: params.collect(),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.params.contains_key(name)
    }

    /// Returns the text of a parameter, or an empty text.
    fn text(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.text(name).parse().ok()
    }

    /// Returns whether a parameter is on. Parameters that include something are also on if they
    /// have no value.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        let is = |words: &[&str], value: &String| {
            let mut words = words.iter();
            words.any(|word| value.eq_ignore_ascii_case(word))
        };
        self.params.get(name).is_some_and(|value| {
            if name.starts_with("include_") {
                !is(&["0", "false", "no"], value)
            } else {
                is(&["1", "true"], value)
            }
        })
    }
}

/// Decodes a name or a value.
fn decoded(text: &str) -> String {
    percent_decoded(&text.replace('+', " "))
}

/// The calls whose answers were stored, and the year in which they were answered.
pub(crate) struct Seen {
    pub(crate) stored: Vec<Asked>,
    pub(crate) year: u64,
    /// Whether no call failed.
    pub(crate) is_whole: bool,
    /// The date of today in the usual form.
    pub(crate) today: String,
}

/// Returns the date at the school, whose time is two hours ahead of UTC.
pub(crate) fn today(now: i64) -> String {
    let instant = jiff::Timestamp::from_second(now + 7_200).unwrap();
    instant.strftime("%F").to_string()
}

impl Seen {
    fn any(&self, endpoint: &str, is_one: impl Fn(&Asked) -> bool) -> bool {
        let mut calls = self.stored.iter();
        calls.any(|call| call.endpoint == endpoint && is_one(call))
    }

    fn has_learners(&self, status: &str, with_parents: bool) -> bool {
        let is_of = |call: &Asked| match call.text("status") {
            "" => status == "current",
            other => other == status,
        };
        self.any("learners", |call| {
            is_of(call) && (!with_parents || call.is_on("include_parents"))
        })
    }

    fn has_parents(&self) -> bool {
        ["current", "waitlist"]
            .iter()
            .all(|status| self.has_learners(status, true))
    }

    fn has_accounts(&self, all: bool) -> bool {
        self.any("learnerparentinfo", |call| {
            call.is_on("all_accounts") == all
        })
    }

    fn has_debtors(&self, all: bool) -> bool {
        self.any("schooldebtors", |call| call.is_on("all_accounts") == all)
    }

    /// Returns whether a request may be refused.
    pub(crate) fn predicts_refusal(&self, asked: &Asked) -> bool {
        let learner = asked.number("learner_id");
        let of_learner = |endpoint: &str| {
            self.any(endpoint, |call| {
                learner.is_some() && call.number("learner_id") == learner
            })
        };
        match asked.endpoint.as_str() {
            "learners" => match asked.text("status") {
                "left" => true,
                status => {
                    let status = if status.is_empty() { "current" } else { status };
                    let with_parents = asked.is_on("include_parents");
                    !self.has_learners(status, false) || with_parents && !self.has_parents()
                }
            },
            "learnersubjects" => {
                // The answer about all learners is complete only if all calls succeeded.
                let has_gap = learner.is_none() && !self.is_whole;
                has_gap || learner.is_some() && !of_learner("learnersubjectsperterm")
            }
            "learnersubjectsperterm" | "learnersubjectmarks" => !of_learner(&asked.endpoint),
            "learnerassessmentmarks" => !self.has_marks(asked),
            "learnerabsentees" | "learnerdiscipline" => {
                // A record with this id may have any date.
                asked.id.is_some() || !self.has_days(asked)
            }
            // Other answers may show a record with this id, but need not.
            "staffmembers" | "parents"
                if asked.id.is_some()
                    || asked.params.contains_key("staff_member_id")
                    || asked.params.contains_key("parent_id") =>
            {
                true
            }
            "parents" => !self.any("parents", |_| true) || !self.has_learners("current", false),
            "learnerparentinfo" => {
                let all = asked.is_on("all_accounts");
                let has_persons =
                    self.has_debtors(true) || self.has_accounts(false) && self.has_accounts(true);
                !self.has_accounts(all)
                    || asked.is_on("include_parents")
                        && !(self.has_parents() && self.has_accounts(true))
                    || asked.is_on("include_accountable_person") && !has_persons
            }
            "schooldebtors" => {
                let all = asked.is_on("all_accounts");
                !self.has_debtors(all) || asked.is_on("include_learners") && !self.has_accounts(all)
            }
            "clients" => false,
            other => !self.any(other, |_| true),
        }
    }

    fn has_marks(&self, asked: &Asked) -> bool {
        let of_year = |asked: &Asked| asked.number("year").unwrap_or(self.year);
        // If no answer shows the current year, the structures of one year after another are
        // requested until one is empty. The earlier ones are then unused.
        let is_over = |call: &Asked| {
            let later = |other: &Asked| {
                other.is_on("structure") && other.number("year") > call.number("year")
            };
            call.is_on("structure") && call.has("year") && self.any(&call.endpoint, later)
        };
        self.any("learnerassessmentmarks", |call| {
            let matches = |name: &str| {
                let number = call.number(name);
                number.is_none() || number == asked.number(name)
            };
            let is_of_one = ["grade_id", "learner_id"].iter().all(|name| matches(name));
            is_of_one
                && !is_over(call)
                && matches("term")
                && of_year(call) == of_year(asked)
                && call.is_on("structure") == asked.is_on("structure")
        })
    }

    /// Returns whether the requested days are within the days that were fetched, which have no gap.
    /// By default the last day is today, and the first day a month before; both were fetched.
    fn has_days(&self, asked: &Asked) -> bool {
        let of = |name: &'static str| {
            let calls = self.stored.iter();
            let calls = calls.filter(|call| call.endpoint == asked.endpoint);
            calls.map(move |call| call.text(name))
        };
        let (Some(first), Some(last)) = (of("from_date").min(), of("to_date").max()) else {
            return false;
        };
        let to = match asked.text("to_date") {
            "" => &self.today,
            to => to,
        };
        match asked.text("from_date") {
            "" => to == self.today,
            from => from >= first && to <= last,
        }
    }
}
