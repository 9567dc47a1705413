//! Requests: the endpoint, the school, the credentials, and their spelling.

use super::World;
use super::endpoints::Endpoint;
use super::ids::{API_TYPES, INTEGRATORS, NO_SCHOOL, SCHOOLS, UNNAMED_API_TYPE};
use super::queries::Query;
use super::{Action, Header};

const STRANGE_PATHS: [&str; 14] = [
    "",
    "/",
    "api/v1/settings/clients",
    "/api/v1",
    "/api/v1/adminplus/learners",
    "/api/v1/adminplus/learners/",
    "/api/v1//adminplus/learners/1000",
    "/api/v1/adminplus/learners/1000//",
    "/api/v1/adminplus/learners/1000/1",
    "/api/v1/AdminPlus/learners/1000",
    "/api/v1/adminplus%2Flearners/1000",
    "/api/v0/adminplus/learners/1000",
    "/API/v1/settings/clients",
    "/api/v1/settings/clients//",
];

pub(super) const NO_SCHOOL_IDS: [&str; 10] = [
    "x",
    "-1",
    "+1",
    "1000.0",
    "%20",
    "1000%20",
    "18446744073709551616",
    "10%2F00",
    "%D9%A1",
    "%zz",
];

const STRANGE_METHODS: [&str; 8] = [
    "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "get", "Patch",
];

impl World {
    /// Returns a request of either version, mostly one with a valid path and valid credentials.
    pub(super) fn request(&mut self) -> Action {
        if self.walk.is_some() && self.dice.chance(50) {
            self.next_page()
        } else if self.dice.chance(25) {
            self.v2_request()
        } else {
            self.v1_request()
        }
    }

    fn v1_request(&mut self) -> Action {
        let endpoint = self.endpoint(1);
        // The state is set at the path where the clients are read.
        let is_update = endpoint.v1 == "settings/clients" && self.dice.chance(40);
        let (method, body) = if is_update {
            ("PATCH", self.state_update())
        } else {
            ("GET", Vec::new())
        };
        let query = (endpoint.query)(self);
        let target = format!(
            "{}{}",
            self.path(endpoint, method),
            self.query_string(query)
        );
        let target = if self.dice.chance(2) {
            self.strange_target(&STRANGE_PATHS)
        } else {
            target
        };
        let headers = self.headers();
        self.asked(method, target, headers, body)
    }

    /// Returns the action, sometimes with an unusual method.
    pub(super) fn asked(
        &mut self,
        method: &str,
        target: String,
        headers: Vec<Header>,
        body: Vec<u8>,
    ) -> Action {
        let method = if self.dice.chance(2) {
            self.dice.pick(&STRANGE_METHODS)
        } else {
            method
        };
        Action::Request {
            now: self.dice.instant(self.today),
            method: method.to_owned(),
            target,
            headers,
            body,
        }
    }

    fn path(&mut self, endpoint: &Endpoint, method: &str) -> String {
        let mut segments = vec!["api".to_owned(), "v1".to_owned()];
        for segment in endpoint.v1.split('/') {
            segments.push(self.dice.segment(segment));
        }
        let optional = method == "GET" && !endpoint.of_school;
        if !optional || self.dice.chance(60) {
            let school = if self.dice.chance(2) {
                NO_SCHOOL
            } else if endpoint.of_school || endpoint.ids.is_empty() {
                self.any_school()
            } else {
                self.dice.pick(endpoint.ids)
            };
            let zeros =
                self.dice
                    .weighted(&[(90, ""), (9, "00"), (1, "00000000000000000000000000")]);
            let id = self.dice.segment(&format!("{zeros}{school}"));
            segments.push(if self.dice.chance(1) {
                self.dice.pick(&NO_SCHOOL_IDS).to_owned()
            } else {
                id
            });
        }
        let end = if self.dice.chance(5) { "/" } else { "" };
        format!("/{}{end}", segments.join("/"))
    }

    pub(super) fn strange_target(&mut self, paths: &[&'static str]) -> String {
        let path = self.dice.pick(paths);
        let query = self.dice.pick(&["", "?", "?learner_id=1"]);
        format!("{path}{query}")
    }

    /// Returns parameters in any order, sometimes with others that have no effect. A cursor is not
    /// encoded.
    pub(super) fn query_string(&mut self, mut query: Query) -> String {
        if self.dice.chance(50) {
            self.dice.shuffle(&mut query);
        }
        let mut parameters: Vec<String> = Vec::new();
        for (name, value) in query {
            if self.dice.chance(4) {
                let before = self.dice.pick(&["", "x", "1", "%41"]);
                parameters.push(format!("{name}={before}"));
            }
            if self.dice.chance(4) {
                let unknown = self.dice.pick(&[
                    "",
                    "=",
                    "x=1",
                    "Learner_id=x",
                    "status%20=x",
                    "limit=1",
                    "%=%",
                    "a=b=c",
                ]);
                parameters.push(unknown.to_owned());
            }
            let equals = if value.is_empty() && self.dice.chance(50) {
                ""
            } else {
                "="
            };
            let value = if name == "cursor" {
                value
            } else {
                self.dice.query_text(&value)
            };
            parameters.push(format!("{}{equals}{value}", self.dice.query_text(name)));
            if self.dice.chance(1) {
                parameters.push(format!("{name}="));
            }
        }
        if self.dice.chance(2) {
            parameters.push("name=%zz%4&name=%ff".to_owned());
        }
        let start = if parameters.is_empty() && self.dice.chance(90) {
            ""
        } else {
            "?"
        };
        format!("{start}{}", parameters.join("&"))
    }

    /// Returns the headers of the credentials, mostly correct ones.
    pub(super) fn headers(&mut self) -> Vec<Header> {
        let (username, password) = self.dice.weighted(&INTEGRATORS[..2]);
        let (username, password) = if self.dice.chance(2) {
            INTEGRATORS[2].1
        } else {
            (username, password)
        };
        let spelled = self.dice.weighted(&[
            (85, ("HTTP-X-USERNAME", "HTTP-X-PASSWORD")),
            (10, ("http-x-username", "Http-X-Password")),
            (5, ("hTTP-x-USERNAME", "http-X-passWORD")),
        ]);
        let header = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
        let mut headers = vec![header(spelled.0, username), header(spelled.1, password)];
        match self.dice.below(100) {
            0 => headers.clear(),
            1 => headers.truncate(1),
            2 => headers[1].1.push(b' '),
            3 => headers[0].1.make_ascii_uppercase(),
            4 => headers[1].1 = vec![0xff, 0xfe],
            5 => headers.push(header("HTTP-X-PASSWORD", "wrong")),
            6..10 => headers.insert(0, header("HTTP-X-USERNAME", "wrong")),
            10..14 => headers.push(header("Content-Type", "text/plain")),
            14..16 => headers.swap(0, 1),
            _ => {}
        }
        headers
    }

    fn state_update(&mut self) -> Vec<u8> {
        let api_type = if self.dice.chance(92) {
            self.dice.pick(&API_TYPES).0
        } else {
            UNNAMED_API_TYPE
        };
        let state = self.dice.weighted(&[(85, 1), (15, 0)]);
        let good = self.dice.pick(&[
            "{\"state\":S,\"api_type_id\":A}",
            " {\"api_type_id\": A , \"state\": S}\r\n",
            "{\"st\\u0061te\":S,\"api_type_id\":A,\"more\":[{\"state\":2,\"state\":3}]}",
        ]);
        let bad = self.dice.pick(&[
            "",
            "[]",
            "null",
            "{\"state\":S,\"api_type_id\":A,}",
            "{\"state\":S,\"api_type_id\":A}{}",
            "{\"state\":S,\"state\":S,\"api_type_id\":A}",
            "{\"state\":S,\"api_type_id\":A,\"x\\\"\\n\":1,\"\\u0078\\\"\\u000a\":2}",
            "{\"api_type_id\":A}",
            "{\"state\":\"S\",\"api_type_id\":A}",
            "{\"state\":S.0,\"api_type_id\":A}",
            "{\"state\":-0,\"api_type_id\":A}",
            "{\"state\":true,\"api_type_id\":A}",
            "{\"state\":2,\"api_type_id\":A}",
            "{\"state\":null,\"api_type_id\":\"A\"}",
            "{\"state\":S}",
            "{\"state\":S,\"api_type_id\":\"A\"}",
            "{\"state\":S,\"api_type_id\":A.0}",
            "{\"state\":S,\"api_type_id\":1e1}",
            "{\"state\":S,\"api_type_id\":18446744073709551616}",
            "{\"state\":S,\"api_type_id\":18446744073709551615}",
        ]);
        let body = if self.dice.chance(84) { good } else { bad };
        let mut body = body
            .replace('S', &state.to_string())
            .replace('A', &api_type.to_string())
            .into_bytes();
        if self.dice.chance(1) {
            body.push(0xff);
        }
        body
    }

    /// Returns one of the schools, mostly the first.
    pub(super) fn any_school(&mut self) -> u64 {
        self.dice.weighted(&SCHOOLS)
    }
}
