//! Parts of statements that write JSON.
//!
//! An array or an object is put together by `group_concat` from a subquery in
//! order: `SQLite` keeps the order of a subquery for such an aggregate, and an
//! index gives it without a sort, where an order within the aggregate would
//! sort every time. What has no members is null, and so is what is made of it,
//! up to an answer without a row's text.

/// The array of what a query gives.
macro_rules! array {
    ($element:expr, $from:expr) => {
        concat!(
            "SELECT '[' || group_concat(element) || ']' FROM (SELECT ",
            $element,
            " AS element ",
            $from,
            ")"
        )
    };
}

/// Millionths with two decimals, half away from zero; null if there are none.
#[rustfmt::skip]
macro_rules! decimal {
    ($($column:expr),+) => {
        concat!(
            "iif(", $($column),+, " IS NULL, NULL, format('%s%d.%02d', iif(", $($column),+,
            " <= -5000, '-', ''), (abs(", $($column),+, ") + 5000) / 1000000, (abs(",
            $($column),+, ") + 5000) / 10000 % 100))"
        )
    };
}

/// What the part is of the whole as a percentage, rounded once; null if
/// there is no part or the whole is zero. The table's limits keep this within 64 bits.
#[rustfmt::skip]
macro_rules! percentage {
    ($part:literal, $whole:literal) => {
        concat!(
            "iif(", $part, " IS NULL OR ", $whole, " = 0, NULL, format('%s%d.%02d', iif((",
            $part, " < 0) <> (", $whole, " < 0) AND ", hundredths!($part, $whole),
            " > 0, '-', ''), ", hundredths!($part, $whole), " / 100, ",
            hundredths!($part, $whole), " % 100))"
        )
    };
}

#[rustfmt::skip]
macro_rules! hundredths {
    ($part:literal, $whole:literal) => {
        concat!(
            "((20000 * abs(", $part, ") + abs(", $whole, ")) / (2 * abs(", $whole, ")))"
        )
    };
}

/// The school's current year.
macro_rules! current_year {
    () => {
        "(SELECT current_year FROM school WHERE school_id = ?1)"
    };
}
