//! The names of people, by the language of their family.

use crate::tables::table;
use crate::topics::TopicRandom;

/// A community with its own names.
pub(crate) struct Culture {
    /// The prefix of the names of its tables.
    pub(crate) name: &'static str,
    /// The share of the families, in per cent.
    share: u32,
    pub(crate) ethnic_group: (u64, &'static str),
    pub(crate) language: (u64, &'static str),
}

const AFRICAN: (u64, &str) = (1, "African/Black");
const COLOURED: (u64, &str) = (2, "Coloured");
const INDIAN: (u64, &str) = (3, "Indian");
const WHITE: (u64, &str) = (4, "White");
const OTHER: (u64, &str) = (5, "Other");

const CULTURES: [Culture; 12] = [
    culture_of("zulu", 17, AFRICAN, (3, "isiZulu")),
    culture_of("xhosa", 10, AFRICAN, (4, "isiXhosa")),
    culture_of("sotho", 8, AFRICAN, (5, "Sesotho")),
    culture_of("tswana", 9, AFRICAN, (6, "Setswana")),
    culture_of("pedi", 8, AFRICAN, (7, "Sepedi")),
    culture_of("venda", 4, AFRICAN, (8, "Tshivenḓa")),
    culture_of("tsonga", 4, AFRICAN, (9, "Xitsonga")),
    culture_of("afrikaans", 16, WHITE, (1, "Afrikaans")),
    culture_of("english", 10, WHITE, (2, "English")),
    culture_of("cape", 7, COLOURED, (1, "Afrikaans")),
    culture_of("indian", 4, INDIAN, (2, "English")),
    culture_of("abroad", 3, OTHER, (2, "English")),
];

const fn culture_of(
    name: &'static str,
    share: u32,
    ethnic_group: (u64, &'static str),
    language: (u64, &'static str),
) -> Culture {
    Culture {
        name,
        share,
        ethnic_group,
        language,
    }
}

/// A gender in the spelling of the records.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Gender {
    Male,
    Female,
}

impl Gender {
    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::Male => "M",
            Self::Female => "F",
        }
    }
}

pub(crate) fn culture(random: &mut TopicRandom) -> &'static Culture {
    random.pick_weighted(&CULTURES, |culture| culture.share)
}

pub(crate) fn surname(culture: &Culture, random: &mut TopicRandom) -> &'static str {
    random.pick(table(&format!("{} surnames", culture.name)))
}

/// Returns one or two names, such as `John` or `John James`.
pub(crate) fn first_names(culture: &Culture, gender: Gender, random: &mut TopicRandom) -> String {
    let names = match gender {
        Gender::Male => table(&format!("{} boys", culture.name)),
        Gender::Female => table(&format!("{} girls", culture.name)),
    };
    let first = random.pick(names);
    let second = random.pick(names);
    if second != first && random.chance(45) {
        format!("{first} {second}")
    } else {
        first.to_owned()
    }
}
