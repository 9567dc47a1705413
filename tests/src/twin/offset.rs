//! UTC offsets of schools (`dataset.md`, "Values").

use super::dates::has_shape;

/// Minutes ahead of UTC: `±HH:MM`, at most 18:00.
pub(crate) fn parse_offset(text: &str) -> Option<i64> {
    if !has_shape(text, "+00:00") && !has_shape(text, "-00:00") {
        return None;
    }
    let (hours, minutes): (i64, i64) = (text[1..3].parse().ok()?, text[4..].parse().ok()?);
    let total = hours * 60 + minutes;
    if minutes > 59 || total > 18 * 60 {
        return None;
    }
    Some(if text.starts_with('-') { -total } else { total })
}

/// The one text of an offset: no offset is `+00:00`.
pub(crate) fn offset_text(minutes: i64) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::{offset_text, parse_offset};

    #[test]
    fn offsets_go_to_eighteen_hours() {
        for (text, minutes) in [
            ("+02:00", 120),
            ("-05:30", -330),
            ("+18:00", 1080),
            ("-18:00", -1080),
            ("+00:00", 0),
            ("+05:45", 345),
        ] {
            assert_eq!(parse_offset(text), Some(minutes), "{text}");
            assert_eq!(offset_text(minutes), text);
        }
        assert_eq!(parse_offset("-00:00"), Some(0));
        for text in [
            "",
            "Z",
            "02:00",
            "+2:00",
            "+0200",
            "+18:01",
            "-19:00",
            "+02:60",
            "+02:00 ",
            "\u{2212}02:00",
            "+0a:00",
        ] {
            assert_eq!(parse_offset(text), None, "{text:?}");
        }
    }
}
