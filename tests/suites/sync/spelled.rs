//! A service that spells its values in other ways, as another version of PHP or another type of a
//! column would: the mirror is the same.

use super::odd::{pass, records};
use super::{NOW, source, synced};
use rollbook::{Engine, Options, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World};
use serde_json::{Map, Value, json};

/// Fields that are no texts.
const DECIMALS: [&str; 5] = [
    "gross_annual_income",
    "percentage",
    "mark",
    "mark_out_of",
    "weight",
];
const FLAGS: [&str; 6] = [
    "has_after_school_center",
    "has_hostel",
    "uses_debit_orders",
    "uses_cashless",
    "is_educator",
    "captured",
];
const OTHERS: [&str; 2] = ["discipline_points", "dtime"];

/// Spells a value as another PHP version or another type of a column would.
fn respell(name: &str, value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object.iter_mut() {
                respell(name, inner, random);
            }
            if object.is_empty() {
                *value = json!([]);
            }
        }
        Value::Array(items) => {
            for item in items.iter_mut() {
                respell("", item, random);
            }
            if random.chance(30) && items.iter().all(Value::is_object) {
                let first = random.below(3);
                let numbered = (first..).map(|number| number.to_string());
                *value = numbered
                    .zip(std::mem::take(items))
                    .collect::<Map<_, _>>()
                    .into();
            }
        }
        Value::String(text) if random.chance(60) => {
            let spellings = spellings(name, text);
            *value = spellings[random.below(spellings.len())].clone();
        }
        _ => {}
    }
}

/// Returns the spellings of the value of a field.
fn spellings(name: &str, text: &str) -> Vec<Value> {
    let is_date = name.ends_with("_date") || name == "date_of_birth";
    let is_flag = FLAGS.contains(&name);
    let is_text = !is_date && !is_flag && !DECIMALS.contains(&name) && !OTHERS.contains(&name);
    let mut spellings = vec![json!(text)];
    match text {
        "" => spellings.push(json!(null)),
        "Yes" | "1" if is_flag => {
            let others = [
                json!(true),
                json!(1),
                json!("1"),
                json!("y"),
                json!("YES"),
                json!("on"),
            ];
            spellings.extend(others);
        }
        "No" | "0" if is_flag => {
            let others = [
                json!(false),
                json!(0),
                json!("0"),
                json!("n"),
                json!("no"),
                json!("Off"),
            ];
            spellings.extend(others);
        }
        "a" if name == "percentage" => spellings.push(json!("A")),
        text if is_date => {
            spellings.push(json!(format!("{text} 00:00:00")));
            spellings.push(json!(format!("{text}T00:00:00.000")));
        }
        text => {
            let number = text.parse::<u32>().ok();
            let number = number.filter(|number| number.to_string() == text);
            spellings.extend(number.map(|number| json!(number)));
            // The number 13.5 is the decimal 13.50, but not the text "13.50".
            let decimal = text
                .parse::<f64>()
                .ok()
                .filter(|_| DECIMALS.contains(&name));
            spellings.extend(decimal.map(|decimal| json!(decimal)));
        }
    }
    if is_text && text.is_empty() {
        spellings.push(json!(false));
    }
    spellings
}

#[test]
fn a_value_is_the_same_in_all_its_spellings() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(20, 300)),
        |seed| World::new(seed).actions(100),
        |seed, actions| {
            respell_and_compare(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    count.at_least("schools", worlds / 3);
    count.at_least("answers", 5 * worlds);
}

fn respell_and_compare(seed: u64, actions: &[Action], count: &Counts) {
    let Some(source) = source(actions) else {
        return;
    };
    let (clean, ..) = synced(&source, NOW, SyncOptions::default());
    let mirror = Engine::memory(Options::default()).unwrap();
    let mut random = Random::new(seed);
    let report = pass(&mirror, &source, &mut |_, answer| {
        let mut body = answer.body.clone();
        if answer.status.code == 200 {
            let mut value: Value = serde_json::from_str(answer.text()).unwrap();
            respell("", &mut value, &mut random);
            body = value.to_string().into_bytes();
            count.add("answers", 1);
        }
        if random.chance(50) {
            body = [b"\xef\xbb\xbf".as_slice(), &body].concat();
        }
        body
    });
    assert_eq!(report.findings, []);
    assert_eq!(records(&mirror), records(&clean), "seed {seed}");
    count.add("schools", 1);
}
