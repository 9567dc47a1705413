//! Walks through a collection of v2. Each request has the cursor of the last page, and mostly the
//! same parameters.

use super::cursors::{CHANGED, CUT, GIVEN};
use super::endpoints::ENDPOINTS;
use super::v2_requests::Collection;
use super::{Action, World};
use jiff::ToSpan as _;

impl World {
    /// Returns a request for the next page of the walk, or a request to which the cursor does not
    /// belong.
    pub(super) fn next_page(&mut self) -> Action {
        let Some(walk) = self.walk.clone() else {
            return self.v2_request();
        };
        if self.dice.chance(15) {
            self.walk = None;
        }
        let (mut asked, mut cursor) = (walk, GIVEN.to_owned());
        match self.dice.below(100) {
            0..5 => asked.school = self.any_school(),
            5..9 => {
                asked.endpoint = &ENDPOINTS[self.dice.below(ENDPOINTS.len())];
            }
            9..14 => asked.query = (asked.endpoint.query)(self),
            14..19 => {
                if !asked.query.is_empty() {
                    let place = self.dice.below(asked.query.len());
                    asked.query.remove(place);
                }
            }
            19..23 => asked.query.push(("reverse_order", "1".to_owned())),
            23..26 => asked.query.push(("reverse_order", "0".to_owned())),
            26..31 => cursor = self.damaged_cursor(),
            _ => self.respell(&mut asked),
        }
        asked.query.push(("cursor", cursor));
        self.page(asked)
    }

    /// Returns a value that is not a cursor, or a damaged cursor.
    pub(super) fn damaged_cursor(&mut self) -> String {
        let damaged = [
            "x".to_owned(),
            "none".to_owned(),
            "0".to_owned(),
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
            "%C3%A9".to_owned(),
            "+".to_owned(),
            CUT.to_owned(),
            CHANGED.to_owned(),
            format!("{GIVEN}x"),
            format!("{GIVEN}="),
            format!("A{GIVEN}"),
            format!("{GIVEN}{GIVEN}"),
            format!("+{GIVEN}"),
        ];
        damaged[self.dice.below(damaged.len())].clone()
    }

    /// Spells some of the parameters differently, without changing their meaning.
    fn respell(&mut self, asked: &mut Collection) {
        for (name, value) in &mut asked.query {
            if !self.dice.chance(15) {
                continue;
            }
            let is_number = is_digits(value);
            match *name {
                "name" => {}
                "grade_id" if value.split(',').all(is_digits) => {
                    let backwards: Vec<&str> = value.split(',').rev().collect();
                    *value = format!("{},{value}", backwards.join(","));
                }
                "structure" | "all_accounts" | "reverse_order" => {
                    let same = match value.to_ascii_lowercase().as_str() {
                        "1" | "true" => "True",
                        "0" | "false" | "" => "FALSE",
                        _ => continue,
                    };
                    same.clone_into(value);
                }
                _ if name.starts_with("include_") => {
                    let off = ["0", "false", "no"].contains(&value.to_ascii_lowercase().as_str());
                    if off { "No" } else { "x" }.clone_into(value);
                }
                _ if is_number => *value = format!("0{value}"),
                _ => {}
            }
        }
        let today = self.today.to_string();
        let month_ago = self.today.saturating_sub(1.month()).to_string();
        for (name, value) in [
            ("since", month_ago.as_str()),
            ("until", today.as_str()),
            ("from_date", month_ago.as_str()),
            ("to_date", today.as_str()),
            ("year", "2026"),
            ("name", "\u{301}"),
            ("include_parents", "no"),
            ("include_learners", "0"),
            ("include_accountable_person", "false"),
            ("all_accounts", "0"),
            ("structure", "FALSE"),
            ("reverse_order", "false"),
            ("status", "current"),
            ("learner_id", ""),
        ] {
            let said = asked.query.iter().any(|(other, _)| *other == name);
            if !said && self.dice.chance(4) {
                asked.query.push((name, value.to_owned()));
            }
        }
    }
}

fn is_digits(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}
