//! Accountable persons, who pay for the learners of a family.

use crate::families::{self, Family};
use crate::identity;
use crate::line::Record;
use crate::parents::Adult;
use crate::plan::Plan;
use crate::tables::table;
use crate::topics::{Topic, TopicRandom};

const EMPLOYER_ADDRESS: &str = "Private Bag X1\r\nPretoria\r\n0001";

/// Writes the `accountable_person` records of a block of families: one per family.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    for siblings in families::in_block(&plan.school, block) {
        let family = Family::new(&plan.school, siblings.family);
        write_person(plan, &family, out);
    }
}

fn write_person(plan: &Plan, family: &Family, out: &mut String) {
    let adult = Adult::new(&plan.school, family, family.payer());
    let id = family.parent_id(family.payer());
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Parent, u64::MAX - id);
    let first_name = adult.first_name.split(' ').next().unwrap_or_default();
    let [employer, employer_address] = if random.chance(70) {
        [random.pick(table("employers")), EMPLOYER_ADDRESS]
    } else {
        [""; 2]
    };
    Record::new(out, "accountable_person")
        .number("school_id", plan.school.school_id)
        .number("accountable_person_id", id)
        .text("title", adult.title)
        .text("first_name", first_name)
        .text("full_names", &adult.first_name)
        .text("last_name", adult.last_name)
        .shown("debtor_code", family.code())
        .text("mobile_calling_code", "27")
        .text("mobile_number", &adult.mobile_number)
        .text("work_tel_number", &identity::line_number(&mut random))
        .text("home_tel_number", &identity::line_number(&mut random))
        .text("email_address", &adult.email_address)
        .text("residential_address", &family.residential_address)
        .text("postal_address", &family.postal_address)
        .text("home_language", family.language().1)
        .text("nationality", family.nationality)
        .text("id_number", &adult.id_number)
        .text("passport_number", &adult.passport_number)
        .text("employer", employer)
        .text("employer_address", employer_address)
        .end();
}
