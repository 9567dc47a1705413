//! The names of people, by the language of their family.

use super::random::Random;
use super::tables::table;

/// A community with its own names.
pub(super) struct Culture {
    /// The prefix of the names of its tables.
    pub(super) name: &'static str,
    /// The share of the families, in per cent.
    share: u32,
    pub(super) ethnic_group: (u64, &'static str),
    pub(super) language: (u64, &'static str),
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
pub(super) enum Gender {
    Male,
    Female,
}

impl Gender {
    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::Male => "M",
            Self::Female => "F",
        }
    }
}

pub(super) fn culture(random: &mut Random) -> &'static Culture {
    random.pick_weighted(&CULTURES, |culture| culture.share)
}

pub(super) fn surname(culture: &Culture, random: &mut Random) -> &'static str {
    random.pick(table(&format!("{} surnames", culture.name)))
}

/// Returns one or two names, such as `John` or `John James`.
pub(super) fn first_names(culture: &Culture, gender: Gender, random: &mut Random) -> String {
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
