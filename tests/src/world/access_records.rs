//! Schools, API types, integrators and authorisations.

use super::World;
use super::days::OFFSETS;
use super::fields::Fields;
use super::ids::{API_TYPES, INTEGRATORS, UNNAMED_API_TYPE, YEARS};
use crate::login;

/// An Argon2id hash that matches no password of the tests.
const HASH: &str =
    "$argon2id$v=19$m=256,t=1,p=1$c29tZSBzYWx0IGhlcmU$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

impl World {
    pub(super) fn school(&mut self, school: u64) -> Fields {
        let dice = &mut self.dice;
        let year = dice.weighted(&YEARS);
        let offset = dice.weighted(&OFFSETS.map(|(weight, text, _)| (weight, text)));
        let name = dice.name();
        let mut fields =
            Fields::of_kind("school")
                .id(dice, "school_id", school)
                .id(dice, "current_year", year);
        fields = fields.text(dice, "school_name", name);
        if offset != "+02:00" || dice.chance(20) {
            fields = fields.raw("utc_offset", format!("\"{offset}\""));
        }
        for flag in [
            "has_after_school_center",
            "has_hostel",
            "uses_debit_orders",
            "uses_cashless",
        ] {
            let value = dice.pick(&["Yes", "No", ""]);
            fields = fields.text(dice, flag, value);
        }
        fields = fields.texts(
            dice,
            40,
            &[
                "telephone_calling_code",
                "telephone_number",
                "admin_email_address",
            ],
        );
        if dice.chance(50) {
            let languages = dice.pick(&[
                "[\"English\"]",
                "[ \"Zo\\u00eb\" , 7,\"a\\\"b\"]",
                "[]",
                "null",
            ]);
            fields = fields.raw("tuition_languages", languages.to_owned());
        }
        let rest = [
            "website",
            "medium",
            "school_short_name",
            "ownership_type",
            "country",
            "province",
            "town",
            "suburb",
            "district",
            "district_code",
            "circuit",
            "quantile",
            "emis_number",
            "lowest_grade",
            "highest_grade",
            "debtors_email_address",
            "finance_email_address",
            "physical_address",
            "postal_address",
        ];
        fields.texts(dice, 8, &rest)
    }

    pub(super) fn api_type(&mut self, place: usize) -> Fields {
        let (id, family) = API_TYPES[place];
        let dice = &mut self.dice;
        let other = dice.pick(&["administration", "curriculum", "finance", "parents"]);
        let family = if dice.chance(98) { family } else { other };
        let name = dice.any_text();
        let fields = Fields::of_kind("api_type").id(dice, "api_type_id", id);
        let fields = match dice.below(10) {
            0 => fields.raw("family", format!("[\"{family}\"]")),
            1 if other != family => fields.raw("family", format!("[\"{family}\", \"{other}\"]")),
            _ => fields.text(dice, "family", family),
        };
        fields.text(dice, "api_type", name)
    }

    /// Returns an integrator. Most have a cheap hash of their password, because a password in clear
    /// takes tens of milliseconds to load, and the same again at the first login.
    pub(super) fn integrator(&mut self, username: &str, password: &str) -> Fields {
        let dice = &mut self.dice;
        let fields = Fields::of_kind("integrator").text(dice, "username", username);
        match dice.below(100) {
            0 => fields.raw("password_hash", format!("\"{HASH}\"")),
            1..4 => fields.text(dice, "password", "another"),
            percent => {
                // Both use the same random numbers, so that recorded seeds stay valid.
                let in_clear = fields.clone().text(dice, "password", password);
                if percent < 14 {
                    in_clear
                } else {
                    fields.raw("password_hash", format!("\"{}\"", login::hash(password)))
                }
            }
        }
    }

    /// Returns an authorisation, mostly with state 1.
    pub(super) fn client_integration(
        &mut self,
        school: u64,
        username: &str,
        api_type: u64,
    ) -> Fields {
        let dice = &mut self.dice;
        let fields = Fields::of_kind("client_integration").text(dice, "username", username);
        let fields = fields
            .id(dice, "school_id", school)
            .id(dice, "api_type_id", api_type);
        match dice.below(100) {
            0..3 => fields,
            3..5 => fields.raw("state", "\"\"".to_owned()),
            5..10 => fields.id(dice, "state", 0),
            _ => fields.id(dice, "state", 1),
        }
    }

    pub(super) fn any_client_integration(&mut self, school: u64) -> Fields {
        let (username, _) = self.dice.weighted(&INTEGRATORS);
        let known = self.dice.pick(&API_TYPES).0;
        let api_type = if self.dice.chance(90) {
            known
        } else {
            UNNAMED_API_TYPE
        };
        self.client_integration(school, username, api_type)
    }
}
