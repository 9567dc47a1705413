//! A dataset line under construction: the names and the JSON text of its values.

use super::dice::Dice;

/// The members of one line.
#[derive(Clone, Debug)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    pub(super) fn of_kind(kind: &str) -> Self {
        Self(vec![("type".to_owned(), format!("\"{kind}\""))])
    }

    pub(super) fn raw(mut self, name: &str, json: String) -> Self {
        self.0.push((name.to_owned(), json));
        self
    }

    pub(super) fn id(self, dice: &mut Dice, name: &str, id: u64) -> Self {
        let json = dice.id_json(id);
        self.raw(name, json)
    }

    /// Adds a text. An empty text has one of its three spellings.
    pub(super) fn text(self, dice: &mut Dice, name: &str, text: &str) -> Self {
        if !text.is_empty() {
            let json = dice.text_json(text);
            self.raw(name, json)
        } else if dice.chance(50) {
            let json = dice.empty_json();
            self.raw(name, json)
        } else {
            self
        }
    }

    /// Adds each of these texts with this probability.
    pub(super) fn texts(mut self, dice: &mut Dice, percent: usize, names: &[&str]) -> Self {
        for name in names {
            if dice.chance(percent) {
                let text = dice.any_text();
                self = self.text(dice, name, text);
            }
        }
        self
    }

    pub(super) fn decimal(self, dice: &mut Dice, name: &str, decimal: &str) -> Self {
        let json = dice.decimal_json(decimal);
        self.raw(name, json)
    }

    /// Returns the JSON object, with its members in any order.
    pub(super) fn object(&self, dice: &mut Dice) -> String {
        let mut members = self.0.clone();
        if dice.chance(40) {
            dice.shuffle(&mut members);
        }
        let (before, between) = dice.weighted(&[(90, ("", "")), (5, (" ", " ")), (5, ("", "\t "))]);
        let members: Vec<String> = members
            .into_iter()
            .map(|(name, json)| {
                let name = if dice.chance(2) { escaped(&name) } else { name };
                format!("{before}\"{name}\"{between}:{between}{json}")
            })
            .collect();
        format!("{{{}{between}}}", members.join(","))
    }

    /// Returns the object as a line, sometimes with white space around it.
    pub(super) fn line(&self, dice: &mut Dice) -> String {
        let object = self.object(dice);
        let (before, after) = dice.weighted(&[(94, ("", "")), (3, ("", "\r")), (3, (" \t", " "))]);
        format!("{before}{object}{after}")
    }
}

/// Returns a name whose first letter is an escape sequence.
fn escaped(name: &str) -> String {
    let first = u32::from(name.chars().next().expect("a name"));
    format!("\\u{first:04x}{}", &name[1..])
}
