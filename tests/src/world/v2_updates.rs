//! POST and PATCH of client integrations.

use super::ids::{API_TYPES, NO_SCHOOL, UNNAMED_API_TYPE};
use super::{Action, World};

/// Bodies with placeholders: `S` for the school, `A` for the API type, `B` for the state.
const GOOD: [&str; 4] = [
    "{\"school_id\":S,\"api_type_id\":A,\"state\":B}",
    "\t{ \"state\" : B , \"school_id\" : S , \"api_type_id\" : A }\n",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":B}",
    "{\"school_\\u0069d\":S,\"api_type_id\":A,\"state\":B,\"more\":{\"state\":2,\"state\":3}}",
];

const BAD: [&str; 24] = [
    "",
    "[]",
    "null",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":B,}",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":B}{}",
    "{\"school_id\":S,\"school_id\":S,\"api_type_id\":A,\"state\":B}",
    "{\"state\":B,\"x\":1,\"y\":2,\"y\":3,\"x\":4}",
    "{\"x\\\"\\n\":1,\"\\u0078\\\"\\u000a\":2,\"school_id\":S,\"api_type_id\":A,\"state\":B}",
    "{}",
    "{\"school_id\":S,\"api_type_id\":A}",
    "{\"school_id\":S,\"state\":B}",
    "{\"api_type_id\":A,\"state\":B}",
    "{\"school_id\":\"S\",\"api_type_id\":A,\"state\":B}",
    "{\"school_id\":S,\"api_type_id\":\"A\",\"state\":B}",
    "{\"school_id\":S.0,\"api_type_id\":1e1,\"state\":B}",
    "{\"school_id\":-0,\"api_type_id\":A,\"state\":\"1\"}",
    "{\"school_id\":null,\"api_type_id\":null,\"state\":null}",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":2}",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":1.0}",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":-0}",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":\"true\"}",
    "{\"school_id\":S,\"api_type_id\":A,\"state\":[true]}",
    "{\"school_id\":18446744073709551616,\"api_type_id\":18446744073709551616,\"state\":B}",
    "{\"school_id\":18446744073709551615,\"api_type_id\":18446744073709551615,\"state\":B}",
];

impl World {
    /// Returns an update of a client integration, mostly of one that exists.
    pub(super) fn integration_update(&mut self) -> Action {
        let school = if self.dice.chance(4) {
            NO_SCHOOL
        } else {
            self.any_school()
        };
        let api_type = if self.dice.chance(93) {
            self.dice.pick(&API_TYPES).0
        } else {
            UNNAMED_API_TYPE
        };
        let state = self
            .dice
            .weighted(&[(40, "true"), (35, "1"), (15, "false"), (10, "0")]);
        let body = if self.dice.chance(84) {
            self.dice.pick(&GOOD)
        } else {
            self.dice.pick(&BAD)
        };
        let mut body = body
            .replace('S', &school.to_string())
            .replace('A', &api_type.to_string())
            .replace('B', state)
            .into_bytes();
        if self.dice.chance(1) {
            body.push(0xff);
        }
        let method = self.dice.pick(&["POST", "POST", "PATCH"]);
        let path = self.v2_path("settings/clientintegrations", None);
        let query = self.dice.weighted(&[(90, ""), (10, "?school_id=x")]);
        let headers = if self.dice.chance(50) {
            self.headers()
        } else {
            self.v2_headers(school)
        };
        self.asked(method, format!("{path}{query}"), headers, body)
    }
}
