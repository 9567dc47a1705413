//! Which requests are outside of what was seen, told from the calls whose answers were
//! kept: those that are refused and not foreseen here are refused too much.

use rollbook_tests::twin::percent_decoded;
use std::collections::BTreeMap;

/// A request, v1 and v2 alike.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The last part of the path in v1.
    endpoint: String,
    /// The record that the path names.
    pub(crate) id: Option<u64>,
    params: BTreeMap<String, String>,
}

/// Where v2 has another name.
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

    /// Whether it has a parameter.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.params.contains_key(name)
    }

    /// What a parameter says.
    fn text(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.text(name).parse().ok()
    }

    /// Whether more is asked for: what is included is so by its name alone.
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

/// A name or a value as it is meant.
fn decoded(text: &str) -> String {
    percent_decoded(&text.replace('+', " "))
}

/// The calls whose answers were kept, and the year that they were answered in.
pub(crate) struct Seen {
    pub(crate) kept: Vec<Asked>,
    pub(crate) year: u64,
    /// Whether no answer was given up.
    pub(crate) is_whole: bool,
    /// As dates are written.
    pub(crate) today: String,
}

/// The day at the school, which lies two hours before UTC.
pub(crate) fn today(now: i64) -> String {
    let instant = jiff::Timestamp::from_second(now + 7_200).unwrap();
    instant.strftime("%F").to_string()
}

impl Seen {
    fn any(&self, endpoint: &str, is_one: impl Fn(&Asked) -> bool) -> bool {
        let mut kept = self.kept.iter();
        kept.any(|kept| kept.endpoint == endpoint && is_one(kept))
    }

    fn has_learners(&self, status: &str, with_parents: bool) -> bool {
        let is_of = |kept: &Asked| match kept.text("status") {
            "" => status == "current",
            other => other == status,
        };
        self.any("learners", |kept| {
            is_of(kept) && (!with_parents || kept.is_on("include_parents"))
        })
    }

    fn has_parents(&self) -> bool {
        ["current", "waitlist"]
            .iter()
            .all(|status| self.has_learners(status, true))
    }

    /// Accounts say who has left, but only beside all lists: without one, nothing of them.
    fn has_accounts(&self, all: bool) -> bool {
        let has_lists = ["current", "waitlist"]
            .iter()
            .all(|status| self.has_learners(status, false));
        has_lists
            && self.any("learnerparentinfo", |kept| {
                kept.is_on("all_accounts") == all
            })
    }

    fn has_debtors(&self, all: bool) -> bool {
        self.any("schooldebtors", |kept| kept.is_on("all_accounts") == all)
    }

    /// Whether a request may be refused, as far as it is sound.
    pub(crate) fn foresees(&self, asked: &Asked) -> bool {
        let learner = asked.number("learner_id");
        let of_learner = |endpoint: &str| {
            self.any(endpoint, |kept| {
                learner.is_some() && kept.number("learner_id") == learner
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
                // Of all it is seen if each was.
                let is_given_up = learner.is_none() && !self.is_whole;
                is_given_up || learner.is_some() && !of_learner("learnersubjectsperterm")
            }
            "learnersubjectsperterm" | "learnersubjectmarks" => !of_learner(&asked.endpoint),
            "learnerassessmentmarks" => !self.has_marks(asked),
            "learnerabsentees" | "learnerdiscipline" => {
                // One by its id may lie on any day.
                asked.id.is_some() || !self.has_days(asked)
            }
            // One by an id may be told of by others, or by nobody.
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
        // Where no answer shows the current year, the structure of one year after another is asked
        // for until one is empty. Those before are not kept.
        let is_over = |kept: &Asked| {
            let later = |other: &Asked| {
                other.is_on("structure") && other.number("year") > kept.number("year")
            };
            kept.is_on("structure") && kept.has("year") && self.any(&kept.endpoint, later)
        };
        self.any("learnerassessmentmarks", |kept| {
            let tells = |name: &str| {
                let kept = kept.number(name);
                kept.is_none() || kept == asked.number(name)
            };
            let is_of_one = ["grade_id", "learner_id"].iter().all(|name| tells(name));
            is_of_one
                && !is_over(kept)
                && tells("term")
                && of_year(kept) == of_year(asked)
                && kept.is_on("structure") == asked.is_on("structure")
        })
    }

    /// Whether the days that are asked for lie within those that were seen, which have no
    /// gap. Without a last day they end today, and without a first a month before: both are
    /// seen.
    fn has_days(&self, asked: &Asked) -> bool {
        let of = |name: &'static str| {
            let kept = self.kept.iter();
            let kept = kept.filter(|kept| kept.endpoint == asked.endpoint);
            kept.map(move |kept| kept.text(name))
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
