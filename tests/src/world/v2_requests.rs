//! Requests of v2: the resource, the header with the school, and one record or a page of many.

use super::endpoints::Endpoint;
use super::ids::NO_SCHOOL;
use super::queries::Query;
use super::requests::NO_SCHOOL_IDS;
use super::{Action, Header, World};

/// A request for a collection. All pages of a walk have these parameters.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) endpoint: &'static Endpoint,
    pub(super) school: u64,
    pub(super) query: Query,
}

const STRANGE_PATHS: [&str; 16] = [
    "/api/v2",
    "/api/v2/",
    "/api/v2?",
    "/api/v2//adminplus/learners",
    "/api/v2/adminplus",
    "/api/v2/adminplus/learners/1/2",
    "/api/v2/adminplus/learners//",
    "/api/v2/AdminPlus/learners",
    "/api/v2/adminplus%2Flearners",
    "/api/v2/currplus/learnersubjects/1",
    "/api/v2/currplus/learnerassessmentmarks/1",
    "/api/v2/settings/clientintegrations/1000",
    "/api/v2/settings/clients",
    "/api/v2/finplus/debtmanagement/learnerparentinfo",
    "/api/v2/finplus/debtmanagement/schooldebtors/1000",
    "/api/v02/adminplus/learners",
];

/// Malformed values of the school header.
const NO_HEADER_IDS: [&str; 6] = [
    "x",
    "-1",
    "+1",
    "1000.0",
    "1000,1000",
    "18446744073709551616",
];

impl World {
    /// Returns a request of v2, mostly one with a valid path and valid credentials.
    pub(super) fn v2_request(&mut self) -> Action {
        if self.dice.chance(11) {
            return self.integration_update();
        }
        let endpoint = self.endpoint(2);
        let school = self.any_school();
        let query = if self.dice.chance(55) {
            (endpoint.wide)(self)
        } else {
            (endpoint.query)(self)
        };
        let by_id = !endpoint.ids.is_empty() && self.dice.chance(25);
        let mut collection = Collection {
            endpoint,
            school,
            query,
        };
        if by_id {
            let id = self.dice.pick(endpoint.ids);
            return self.one_record(&collection, id);
        }
        if self.dice.chance(30) {
            let value = self
                .dice
                .pick(&["1", "true", "TRUE", "1", "0", "False", ""]);
            collection.query.push(("reverse_order", value.to_owned()));
        }
        self.walk = Some(collection.clone());
        if self.dice.chance(3) {
            collection.query.push(("cursor", self.damaged_cursor()));
        }
        self.page(collection)
    }

    /// Returns a request for a page of a collection.
    pub(super) fn page(&mut self, collection: Collection) -> Action {
        let Collection {
            endpoint,
            school,
            mut query,
        } = collection;
        if self.dice.chance(88) {
            let limit = self
                .dice
                .weighted(&[(60, 1), (15, 2), (10, 3), (7, 7), (8, 60)]);
            query.push(("limit", self.digits(limit)));
        }
        if self.dice.chance(15) {
            self.spoil(&mut query, &["limit", "reverse_order"]);
        }
        let target = format!(
            "{}{}",
            self.v2_path(endpoint.v2, None),
            self.query_string(query)
        );
        self.v2_asked(target, school)
    }

    /// Returns a request for one record by its id, with the parameters of its collection.
    fn one_record(&mut self, collection: &Collection, id: u64) -> Action {
        let id = self.digits(id);
        let id = if self.dice.chance(4) {
            self.dice.pick(&NO_SCHOOL_IDS).to_owned()
        } else {
            id
        };
        let query = if self.dice.chance(40) {
            collection.query.clone()
        } else {
            Query::new()
        };
        let path = self.v2_path(collection.endpoint.v2, Some(&id));
        let target = format!("{path}{}", self.query_string(query));
        self.v2_asked(target, collection.school)
    }

    fn v2_asked(&mut self, target: String, school: u64) -> Action {
        let target = if self.dice.chance(2) {
            self.strange_target(&STRANGE_PATHS)
        } else {
            target
        };
        let headers = self.v2_headers(school);
        self.asked("GET", target, headers, Vec::new())
    }

    pub(super) fn v2_path(&mut self, path: &str, id: Option<&str>) -> String {
        let mut segments = vec!["api".to_owned(), "v2".to_owned()];
        for segment in path.split('/') {
            segments.push(self.dice.segment(segment));
        }
        segments.extend(id.map(str::to_owned));
        let end = if self.dice.chance(5) { "/" } else { "" };
        format!("/{}{end}", segments.join("/"))
    }

    /// Returns the headers: credentials, mostly of the first integrator, and a school, mostly this
    /// one.
    pub(super) fn v2_headers(&mut self, school: u64) -> Vec<Header> {
        let mut headers = self.headers();
        let name = self
            .dice
            .pick(&["HTTP-X-SCHOOLID", "http-x-schoolid", "Http-X-SchoolId"]);
        let mut header = |value: String| headers.push((name.to_owned(), value.into_bytes()));
        let zeros = self
            .dice
            .weighted(&[(90, ""), (9, "00"), (1, "000000000000000000000000")]);
        match self.dice.below(100) {
            0 | 1 => {}
            2 => header(String::new()),
            3 | 4 => header(self.dice.pick(&NO_HEADER_IDS).to_owned()),
            5 => header(NO_SCHOOL.to_string()),
            6 => {
                header("x".to_owned());
                header(school.to_string());
            }
            _ => header(format!("{zeros}{school}")),
        }
        headers
    }
}
