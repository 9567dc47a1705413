//! Residential and postal addresses.

use crate::tables::{parts, table};
use crate::topics::TopicRandom;

/// Returns a residential and a postal address, whose lines are separated by CR LF.
pub(crate) fn addresses(random: &mut TopicRandom) -> [String; 2] {
    let [suburb, town, code] = parts(random.pick(table("suburbs")));
    let dwelling = dwelling(random);
    let street = random.pick(table("streets"));
    let separate = ["Plot", "Unit", "Flat", "Eenheid"]
        .iter()
        .any(|word| dwelling.starts_with(word));
    let gap = if separate { "\r\n" } else { " " };
    let residential = format!("{dwelling}{gap}{street}\r\n{suburb}\r\n{town}\r\n{code}");
    let postal = match random.below(10) {
        0..5 => format!(
            "PO Box {}\r\n{suburb}\r\n{town}\r\n{code}",
            random.between(1, 9999)
        ),
        5..7 => format!("Posbus {}\r\n{town}\r\n{code}", random.between(1, 999)),
        _ => residential.clone(),
    };
    [residential, postal]
}

fn dwelling(random: &mut TopicRandom) -> String {
    let number = random.between(1, 480).to_string();
    random.pick(table("dwellings")).replace("{n}", &number)
}
