//! The typed question that a request of the corpus asks, if it is one that an
//! app could ask: found by reading the request anew, in a simple way.

use rollbook::{
    Absentees, Answer, AssessmentMarks, Clients, Engine, LearnerStatus, LearnerSubjects, Learners,
    Schools, SetState, SubjectMarks, SubjectsPerTerm,
};
use rollbook_tests::corpus::Request;
use std::collections::HashMap;

/// Asks it, unless credentials, access or parameters stop the request first.
pub(crate) fn ask(engine: &Engine, request: &Request, now: i64) -> Option<Answer> {
    let refused = matches!(request.status, 401 | 403 | 405);
    let plain = !request.target.contains(['%', '+', '#']);
    if refused || !plain || request.method != "GET" && request.method != "PATCH" {
        return None;
    }
    let username = &request
        .headers
        .iter()
        .find(|(name, _)| name == "HTTP-X-USERNAME")?
        .1;
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((&request.target, ""));
    let path = path.strip_prefix("/api/v1/")?;
    let (path, school) = match path.rsplit_once('/') {
        Some((before, last)) if last.bytes().all(|byte| byte.is_ascii_digit()) => {
            (before, Some(last.parse().ok()?))
        }
        _ => (path, None),
    };
    let params: HashMap<&str, &str> = query
        .split('&')
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    if request.method == "PATCH" {
        // The request itself is the one that changes the state; the typed door
        // is asked for what changes nothing.
        let set = state(username, school?, &request.body)?;
        return (request.status == 404).then(|| engine.set_state(&set).unwrap());
    }
    let mut body = Vec::new();
    let question = Params(params);
    let status = match (path, school) {
        ("settings/clients", school) => engine.ask_into(
            &Clients {
                username,
                school,
                api_type_id: None,
            },
            Some(now),
            &mut body,
        ),
        ("finplus/debtmanagement/schools", school) => {
            engine.ask_into(&Schools { username, school }, Some(now), &mut body)
        }
        ("adminplus/learners", Some(school)) => {
            let grades = question.grades()?;
            let learners = Learners {
                school,
                status: match question.text("status") {
                    None | Some("current") => LearnerStatus::Current,
                    Some("left") => LearnerStatus::Left,
                    Some("waitlist") => LearnerStatus::Waitlist,
                    Some(_) => return None,
                },
                since: question.parsed("since")?,
                until: question.parsed("until")?,
                learner_id: question.parsed("learner_id")?,
                grade_ids: &grades,
                include_parents: question.0.get("include_parents").is_some_and(|value| {
                    !["0", "false", "no"].contains(&value.to_lowercase().as_str())
                }),
                name: question.text("name"),
                family_code: question.parsed("family_code")?,
            };
            engine.ask_into(&learners, Some(now), &mut body)
        }
        ("adminplus/learnerabsentees", Some(school)) => {
            let absentees = Absentees {
                id: None,
                school,
                learner_id: question.parsed("learner_id")?,
                from_date: question.parsed("from_date")?,
                to_date: question.parsed("to_date")?,
            };
            engine.ask_into(&absentees, Some(now), &mut body)
        }
        ("currplus/learnerassessmentmarks", Some(school)) => {
            let marks = AssessmentMarks {
                school,
                learner_id: question.parsed("learner_id")?,
                grade_id: question.parsed("grade_id")?,
                subject_id: question.parsed("subject_id")?,
                year: question.parsed("year")?,
                term: question.parsed("term")?,
                learning_outcome_id: question.parsed("learning_outcome_id")?,
                assessment_id: question.parsed("assessment_id")?,
                structure: match question.text("structure") {
                    None | Some("0" | "false") => false,
                    Some("1" | "true") => true,
                    Some(_) => return None,
                },
            };
            engine.ask_into(&marks, Some(now), &mut body)
        }
        ("currplus/learnersubjects", Some(school)) => {
            let learner_id = question.parsed("learner_id")?;
            engine.ask_into(
                &LearnerSubjects { school, learner_id },
                Some(now),
                &mut body,
            )
        }
        ("currplus/learnersubjectsperterm", Some(school)) => {
            let learner_id = question.parsed("learner_id")??;
            engine.ask_into(
                &SubjectsPerTerm { school, learner_id },
                Some(now),
                &mut body,
            )
        }
        ("currplus/learnersubjectmarks", Some(school)) => {
            let learner_id = question.parsed("learner_id")??;
            engine.ask_into(&SubjectMarks { school, learner_id }, Some(now), &mut body)
        }
        _ => return None,
    };
    Some(Answer {
        status: status.unwrap_or_else(|error| panic!("{}: {error}", request.target)),
        body,
    })
}

struct Params<'a>(HashMap<&'a str, &'a str>);

impl<'a> Params<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied().filter(|value| !value.is_empty())
    }

    /// `None` if the value cannot be passed to a typed question.
    #[expect(clippy::option_option, reason = "absent, or of no use")]
    fn parsed<T: std::str::FromStr>(&self, name: &str) -> Option<Option<T>> {
        match self.text(name) {
            None => Some(None),
            Some(value) if value.starts_with('+') => None,
            Some(value) => value.parse().ok().map(Some),
        }
    }

    fn grades(&self) -> Option<Vec<u64>> {
        let list = self.text("grade_id").unwrap_or_default();
        list.split(',')
            .filter(|_| !list.is_empty())
            .map(|grade| grade.parse().ok())
            .collect()
    }
}

fn state<'a>(username: &'a str, school: u64, body: &str) -> Option<SetState<'a>> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(SetState {
        username,
        school,
        api_type_id: body.get("api_type_id")?.as_u64()?,
        state: body.get("state")?.as_u64()?,
    })
}
