//! Parents: the adults of a family, with the fields of section 2.2.

use jiff::ToSpan as _;
use jiff::civil::{Date, date};

use crate::families::{self, Family};
use crate::identity;
use crate::line::Record;
use crate::names::{self, Gender};
use crate::plan::Plan;
use crate::tables::{parts, table};
use crate::topics::{Topic, TopicRandom};
use crate::{Phase, SampleSchool};

/// Marital statuses with their ids. Usual ones occur several times.
const MARITAL: [(u64, &str); 9] = [
    (2, "Married"),
    (2, "Married"),
    (2, "Married"),
    (3, "Single"),
    (3, "Single"),
    (1, "Divorced"),
    (4, "Widowed"),
    (6, "Separated"),
    (7, "Common law marriage"),
];

/// An adult of a family, who may be known to the school as a parent.
pub(crate) struct Adult {
    pub(crate) title: &'static str,
    pub(crate) first_name: String,
    pub(crate) last_name: &'static str,
    pub(crate) mobile_number: String,
    pub(crate) email_address: String,
    pub(crate) id_number: String,
    pub(crate) passport_number: String,
    date_of_birth: Date,
    gender: Gender,
    marital_status: (u64, &'static str),
    occupation_status: &'static str,
    occupation: &'static str,
    employment_sector: &'static str,
    gross_annual_income: u32,
}

impl Adult {
    /// Returns the parent of a family at a place, 0 or 1.
    pub(crate) fn new(school: &SampleSchool, family: &Family, place: u64) -> Self {
        let id = family.parent_id(place);
        let mut random = TopicRandom::for_topic(school.seed, Topic::Parent, id);
        let gender = match (place, random.chance(10)) {
            (0, false) | (1, true) => Gender::Male,
            _ => Gender::Female,
        };
        let last_name = if random.chance(15) {
            names::surname(family.culture, &mut random)
        } else {
            family.surname
        };
        let first_name = names::first_names(family.culture, gender, &mut random);
        let date_of_birth = birthday(school, &mut random);
        let abroad = family.nationality != "South Africa";
        let passport = abroad || random.chance(15);
        let (occupation_status, [occupation, employment_sector], gross_annual_income) =
            work(&mut random);
        Self {
            title: match gender {
                Gender::Male => random.pick(&["Mr", "Mr", "Mr", "Mnr", "Dr", "Prof", "Rev"]),
                Gender::Female => random.pick(&["Mrs", "Mrs", "Ms", "Ms", "Me", "Dr", "Adv"]),
            },
            mobile_number: identity::mobile_number(&mut random),
            email_address: identity::email_address(&first_name, last_name, &mut random),
            id_number: if abroad {
                String::new()
            } else {
                identity::id_number(date_of_birth, gender, &mut random)
            },
            passport_number: if passport {
                identity::passport_number(&mut random)
            } else {
                String::new()
            },
            first_name,
            last_name,
            date_of_birth,
            gender,
            marital_status: random.pick(&MARITAL),
            occupation_status,
            occupation,
            employment_sector,
            gross_annual_income,
        }
    }
}

fn birthday(school: &SampleSchool, random: &mut TopicRandom) -> Date {
    let youngest = match school.phase() {
        Phase::Primary => 28,
        Phase::Secondary => 34,
    };
    let latest = date(
        i16::try_from(school.current_year).unwrap() - youngest,
        12,
        31,
    );
    latest.saturating_sub(i64::from(random.below(28 * 365)).days())
}

/// Returns the employment status, the occupation with its sector, and the annual income in rand.
fn work(random: &mut TopicRandom) -> (&'static str, [&'static str; 2], u32) {
    let income = random.between(36, 1450) * 1000 + random.below(12) * 75;
    match random.below(100) {
        0..62 => (
            "Full Time Employed",
            parts(random.pick(table("employed"))),
            income,
        ),
        62..72 => (
            "Part Time Employed",
            parts(random.pick(table("employed"))),
            income / 2,
        ),
        72..84 => (
            "Self Employed",
            parts(random.pick(table("self employed"))),
            income,
        ),
        84..87 => ("Pensioner", ["", "Other"], income / 4),
        _ => ("Unemployed", ["", "Other"], 0),
    }
}

/// Writes the `parent` records of a block of families.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    for siblings in families::in_block(&plan.school, block) {
        let family = Family::new(&plan.school, siblings.family);
        for (place, id) in (0..).zip(family.parents()) {
            if let Some(id) = id {
                let adult = Adult::new(&plan.school, &family, place);
                write_parent(plan, &family, &adult, id, out);
            }
        }
    }
}

fn write_parent(plan: &Plan, family: &Family, adult: &Adult, id: u64, out: &mut String) {
    let (language_id, language) = family.language();
    let (ethnic_group_id, ethnic_group) = family.culture.ethnic_group;
    let (marital_status_id, marital_status) = adult.marital_status;
    Record::new(out, "parent")
        .number("school_id", plan.school.school_id)
        .number("id", id)
        .text("title", adult.title)
        .text("first_name", &adult.first_name)
        .text("last_name", adult.last_name)
        .text("mobile_calling_code", "27")
        .text("mobile_number", &adult.mobile_number)
        .text("email_address", &adult.email_address)
        .shown("date_of_birth", adult.date_of_birth)
        .text("gender", adult.gender.letter())
        .shown("ethnic_group_id", ethnic_group_id)
        .text("ethnic_group", ethnic_group)
        .text("residential_address", &family.residential_address)
        .text("postal_address", &family.postal_address)
        .shown("home_language_id", language_id)
        .text("home_language", language)
        .text("nationality", family.nationality)
        .shown("family_code", family.code())
        .text("id_number", &adult.id_number)
        .text("passport_number", &adult.passport_number)
        .shown("marital_status_id", marital_status_id)
        .text("marital_status", marital_status)
        .text("occupation_status", adult.occupation_status)
        .text("occupation", adult.occupation)
        .text("employment_sector", adult.employment_sector)
        .shown(
            "gross_annual_income",
            format_args!("{}.00", adult.gross_annual_income),
        )
        .end();
}
