//! Identity numbers, telephone numbers and addresses of people.

use jiff::civil::Date;
use unicode_normalization::UnicodeNormalization as _;

use crate::names::Gender;
use crate::tables::table;
use crate::topics::TopicRandom;

const MOBILE_PREFIXES: [&str; 9] = [
    "060", "063", "071", "072", "073", "079", "082", "083", "084",
];

/// Returns a South African identity number: date of birth, sequence by gender, citizenship, check
/// digit.
pub(crate) fn id_number(born: Date, gender: Gender, random: &mut TopicRandom) -> String {
    let sequence = match gender {
        Gender::Female => random.between(0, 4999),
        Gender::Male => random.between(5000, 9999),
    };
    let mut number = format!(
        "{:02}{:02}{:02}{sequence:04}08",
        born.year() % 100,
        born.month(),
        born.day()
    );
    let check = luhn(&number);
    number.push(char::from(b'0' + check));
    number
}

fn luhn(digits: &str) -> u8 {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0');
            match place % 2 {
                0 if digit > 4 => digit * 2 - 9,
                0 => digit * 2,
                _ => digit,
            }
        })
        .sum();
    u8::try_from((10 - sum % 10) % 10).unwrap()
}

/// Returns a passport number.
pub(crate) fn passport_number(random: &mut TopicRandom) -> String {
    let letter = random.pick(&["A", "AB", "C", "FN", "M"]);
    format!("{letter}{:07}", random.below(10_000_000))
}

/// Returns a mobile number without its country code.
pub(crate) fn mobile_number(random: &mut TopicRandom) -> String {
    let prefix = random.pick(&MOBILE_PREFIXES);
    format!("{prefix}{:07}", random.below(10_000_000))
}

/// Returns a landline number.
pub(crate) fn line_number(random: &mut TopicRandom) -> String {
    let prefix = random.pick(&["011", "012", "021", "031", "041", "051"]);
    format!("{prefix}{:07}", random.below(10_000_000))
}

/// Returns an address made of the first of the first names and the last name, without accents.
pub(crate) fn email_address(
    first_names: &str,
    last_name: &str,
    random: &mut TopicRandom,
) -> String {
    let host = random.pick(table("mail hosts"));
    let first = plain(first_names.split(' ').next().unwrap_or(first_names));
    let last = plain(last_name);
    let number = random.below(100);
    match random.below(3) {
        0 => format!("{first}.{last}@{host}"),
        1 => format!("{}{last}{number}@{host}", &first[..1]),
        _ => format!("{last}.{first}{number}@{host}"),
    }
}

/// Returns the lower-case ASCII letters of a name.
fn plain(name: &str) -> String {
    name.nfd()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}
