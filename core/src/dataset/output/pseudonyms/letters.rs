//! Replaces the letters and digits of texts. A letter becomes one of the same alphabet, in the same
//! case, and with the same accent if the new letter can have it; a digit becomes a digit. All other
//! characters remain: blanks, line ends, hyphens, `@`. A text therefore has the same length as its
//! pseudonym.

use super::keyed::Keyed;
use crate::record::values::fold::fold;

/// Groups of characters that are exchanged with each other. Letters that can have the same accents
/// are in one group.
const ALPHABETS: [&str; 5] = ["aeiou", "cnsz", "dlrt", "bfghjkmpqvwxy", "0123456789"];

/// The letters of an alphabet with an accent, in the order of the alphabet. `.` replaces a letter
/// that does not exist with this accent.
const ACCENTED: [(usize, &str); 18] = [
    (0, "àèìòù"),
    (0, "áéíóú"),
    (0, "âêîôû"),
    (0, "äëïöü"),
    (0, "ãẽĩõũ"),
    (0, "āēīōū"),
    (0, "ăĕĭŏŭ"),
    (0, "ąęįǫų"),
    (0, "ǎěǐǒǔ"),
    (0, "å...ů"),
    (0, "...őű"),
    (1, "ćńśź"),
    (1, "čňšž"),
    (1, "çņş."),
    (1, "ċṅṡż"),
    (1, ".ñ.."),
    (2, "ďľřť"),
    (2, "ḑļŗţ"),
];

/// How the letters of a text are replaced.
#[derive(Clone, Copy)]
pub(crate) enum Exchange {
    /// A letter is replaced in the same way everywhere, so that a part of a name is a part of its
    /// pseudonym.
    Letters,
    /// A letter is replaced depending on its position, so that different short texts have different
    /// pseudonyms; in a long text, it also depends on the whole text.
    Texts,
}

/// The length of a long text, in characters. Two different long texts have the same pseudonym so
/// seldom that it does not matter.
const LONG: usize = 9;

pub(crate) fn pseudonym(keyed: &Keyed, text: &str, exchange: Exchange) -> String {
    let seed = match exchange {
        Exchange::Texts if text.chars().count() >= LONG => keyed.number(text.as_bytes(), &[]),
        _ => 0,
    };
    let at = |place: usize| match exchange {
        Exchange::Letters => [seed, u64::MAX],
        Exchange::Texts => [seed, place as u64],
    };
    let chars = text.chars().enumerate();
    chars
        .map(|(place, char)| replace(keyed, char, at(place)))
        .collect()
}

/// Returns the replacement of a character.
fn replace(keyed: &Keyed, char: char, at: [u64; 2]) -> char {
    let mut lower = char.to_lowercase();
    let (Some(small), None) = (lower.next(), lower.next()) else {
        return replace_within_block(keyed, char, at);
    };
    let found = replace_small(keyed, small, at);
    if small == char {
        return found;
    }
    let mut upper = found.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(large), None) => large,
        _ => found,
    }
}

fn replace_small(keyed: &Keyed, small: char, at: [u64; 2]) -> char {
    for alphabet in ALPHABETS {
        if let Some(place) = place_of(alphabet, small) {
            return replacement(keyed, alphabet.chars(), place, at).unwrap_or(small);
        }
    }
    for (alphabet, accented) in ACCENTED {
        let (Some(alphabet), Some(place)) = (ALPHABETS.get(alphabet), place_of(accented, small))
        else {
            continue;
        };
        let bare = replacement(keyed, alphabet.chars(), place, at).unwrap_or(small);
        let with_accent = place_of(alphabet, bare).and_then(|place| accented.chars().nth(place));
        return with_accent.filter(|with| *with != '.').unwrap_or(bare);
    }
    // Any other accent is removed, because a search finds the letter without it too.
    let mut bare = Vec::new();
    fold(small.encode_utf8(&mut [0; 4]), &mut bare);
    match *bare {
        [letter] if letter.is_ascii_alphanumeric() => replace_small(keyed, char::from(letter), at),
        _ => replace_within_block(keyed, small, at),
    }
}

fn place_of(alphabet: &str, char: char) -> Option<usize> {
    (char != '.').then(|| alphabet.chars().position(|one| one == char))?
}

/// Replaces a letter of another script by one that is near it in Unicode, where the letters of a
/// script are next to each other.
fn replace_within_block(keyed: &Keyed, char: char, at: [u64; 2]) -> char {
    let is_like = |other: &char| {
        other.is_alphabetic() == char.is_alphabetic()
            && other.is_numeric() == char.is_numeric()
            && other.is_lowercase() == char.is_lowercase()
            && other.is_uppercase() == char.is_uppercase()
    };
    if !char.is_alphanumeric() || char.is_ascii() {
        return char;
    }
    let first = u32::from(char) & !0xf;
    let block = (first..first + 16)
        .filter_map(char::from_u32)
        .filter(is_like);
    let place = block.clone().position(|one| one == char);
    place
        .and_then(|place| replacement(keyed, block, place, at))
        .unwrap_or(char)
}

/// Returns the replacement of the letter at `place` in an alphabet. For each key and position in a
/// text, the letters have a different cyclic order, and each is replaced by the next one. Therefore
/// no letter is replaced by itself, unless it is the only one.
fn replacement(
    keyed: &Keyed,
    alphabet: impl Iterator<Item = char>,
    place: usize,
    [seed, at]: [u64; 2],
) -> Option<char> {
    let rank = |char: char| (keyed.number(b"letter", &[seed, at, u64::from(char)]), char);
    let ranked: Vec<_> = alphabet.map(rank).collect();
    let own = ranked.get(place)?;
    let next = ranked.iter().filter(|one| *one > own).min();
    next.or_else(|| ranked.iter().min()).map(|(_, char)| *char)
}

#[cfg(test)]
mod tests {
    use crate::dataset::output::pseudonyms::letters::*;
    use std::collections::BTreeSet;

    fn folded(text: &str) -> String {
        let mut out = Vec::new();
        fold(text, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_part_of_a_name_is_a_part_of_its_pseudonym() {
        for seed in 0..20 {
            let keyed = Keyed::new(&[seed; 32]);
            let of = |text: &str| pseudonym(&keyed, text, Exchange::Letters);
            for name in [
                "Zoë van der Merwe-Smith",
                "Čapek",
                "Őry",
                "Nuñez",
                "O'Ğlu Ñ",
                "Дмитрий",
                "Ng 陳",
            ] {
                let found = of(name);
                let whole: Vec<char> = name.chars().collect();
                for from in 0..whole.len() {
                    for to in from + 1..=whole.len() {
                        let part: String = whole.iter().skip(from).take(to - from).collect();
                        assert!(found.contains(&of(&part)), "{name} {part}");
                        if name
                            .chars()
                            .all(|char| !char.is_alphabetic() || folded(name).is_ascii())
                        {
                            assert!(
                                folded(&found).contains(&folded(&of(&folded(&part)))),
                                "{name} {part}"
                            );
                            assert_eq!(folded(&found), folded(&of(&folded(name))));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_text_is_its_own_pseudonym() {
        let names = ["Anna", "Ng", "Zoë", "Čapek", "Nuñez", "Дмитрий", "7", "100"];
        let mut compared = 0;
        for key in 0..600_u16 {
            let keyed = Keyed::new(
                &[key.to_le_bytes(); 16]
                    .concat()
                    .try_into()
                    .unwrap_or([0; 32]),
            );
            for name in names {
                for exchange in [Exchange::Letters, Exchange::Texts] {
                    let found = pseudonym(&keyed, name, exchange);
                    assert_ne!(folded(&found), folded(name), "key {key}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 600 * 8 * 2);
    }

    #[test]
    fn texts_retain_their_shape() {
        let keyed = Keyed::new(&[7; 32]);
        let text = "Zoë's 2nd Čat,\r\n\tвася@Mail.example 日本\u{301}";
        let found = pseudonym(&keyed, text, Exchange::Texts);
        assert_ne!(found, text);
        assert_eq!(found.chars().count(), text.chars().count());
        for (one, other) in text.chars().zip(found.chars()) {
            assert_eq!(one.is_alphabetic(), other.is_alphabetic(), "{one} {other}");
            assert_eq!(one.is_numeric(), other.is_numeric(), "{one} {other}");
            assert_eq!(one.is_uppercase(), other.is_uppercase(), "{one} {other}");
            assert_eq!(one.is_ascii(), other.is_ascii(), "{one} {other}");
            assert!(one.is_alphanumeric() || one == other, "{one} {other}");
        }
        assert_eq!(pseudonym(&keyed, text, Exchange::Texts), found);
        assert_ne!(
            pseudonym(&Keyed::new(&[8; 32]), text, Exchange::Texts),
            found
        );
    }

    #[test]
    fn different_short_texts_have_different_pseudonyms() {
        let keyed = Keyed::new(&[9; 32]);
        let texts: Vec<String> = (0..2000).map(|number| format!("{number}")).collect();
        let found: BTreeSet<String> = texts
            .iter()
            .map(|text| pseudonym(&keyed, text, Exchange::Texts))
            .collect();
        assert_eq!(found.len(), texts.len());
    }
}
