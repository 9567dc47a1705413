//! Learners, alone and with their parents (4.1).

use super::row::{Array, Columns as _};
use crate::peers::sqlite::decimal;
use crate::peers::wire::{Learner, Parent};
use anyhow::Result;
use rusqlite::{Connection, Params, Row};

/// A learner's columns, in the order of [`learner`].
macro_rules! learner_columns {
    () => {
        "l.id, l.first_name, l.last_name, l.mobile_calling_code, l.mobile_number,
         l.email_address, l.date_of_birth, l.gender, l.ethnic_group_id, l.ethnic_group,
         l.home_language_id, l.home_language, l.tuition_language_id, l.tuition_language,
         l.nationality, l.admission_number, l.family_code, l.id_number, l.passport_number,
         l.grade_id, l.grade, l.register_class_name, l.register_class_teacher_id, l.country,
         l.province, l.education_stream, l.photo_url, l.parent1_id, l.parent2_id"
    };
}

/// How many they are.
const LEARNER: usize = 29;

/// A parent's columns, in the order of [`parent`].
macro_rules! parent_columns {
    ($p:literal) => {
        concat!(
            $p,
            ".id, ",
            $p,
            ".title, ",
            $p,
            ".first_name, ",
            $p,
            ".last_name, ",
            $p,
            ".mobile_calling_code, ",
            $p,
            ".mobile_number, ",
            $p,
            ".email_address, ",
            $p,
            ".date_of_birth, ",
            $p,
            ".gender, ",
            $p,
            ".ethnic_group_id, ",
            $p,
            ".ethnic_group, ",
            $p,
            ".residential_address, ",
            $p,
            ".postal_address, ",
            $p,
            ".home_language_id, ",
            $p,
            ".home_language, ",
            $p,
            ".nationality, ",
            $p,
            ".family_code, ",
            $p,
            ".id_number, ",
            $p,
            ".passport_number, ",
            $p,
            ".marital_status_id, ",
            $p,
            ".marital_status, ",
            $p,
            ".occupation_status, ",
            $p,
            ".occupation, ",
            $p,
            ".employment_sector, ",
            $p,
            ".gross_annual_income"
        )
    };
}

/// How many they are.
const PARENT: usize = 25;

// Nearly all learners are current, so the table itself is read, not an index
// (hence the plus).
pub(super) const CURRENT: &str = concat!(
    "SELECT ",
    learner_columns!(),
    " FROM learner l WHERE l.school_id = ?1 AND +l.status = 'current' ORDER BY l.id"
);

pub(super) const ONE: &str = concat!(
    "SELECT ",
    learner_columns!(),
    " FROM learner l WHERE l.school_id = ?1 AND l.id = ?2 AND l.status = 'current'"
);

// The roll is searched first, whole in its narrow index; only the learners
// that are found are read.
pub(super) const NAMED: &str = concat!(
    "SELECT ",
    learner_columns!(),
    " FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
      WHERE r.school_id = ?1 AND r.status = 'current' AND instr(r.folded_name, ?2) > 0
      ORDER BY r.id"
);

pub(super) const LEFT: &str = concat!(
    "SELECT ",
    learner_columns!(),
    " FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
      WHERE r.school_id = ?1 AND r.status = 'left' AND r.transfer_date BETWEEN ?2 AND ?3
      ORDER BY r.id"
);

const WITH_PARENTS: &str = concat!(
    "SELECT ",
    learner_columns!(),
    ", ",
    parent_columns!("p1"),
    ", ",
    parent_columns!("p2"),
    " FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
      LEFT JOIN parent p1 ON p1.school_id = l.school_id AND p1.id = l.parent1_id
      LEFT JOIN parent p2 ON p2.school_id = l.school_id AND p2.id = l.parent2_id
      WHERE r.school_id = ?1 AND r.status = 'current' AND r.grade_id IN (?2, ?3)
      ORDER BY r.id"
);

/// The digits of a row's numbers while its record borrows them.
#[derive(Default, Clone, Copy)]
struct Digits([itoa::Buffer; 4]);

fn learner<'r>(row: &'r Row<'_>, digits: &'r mut Digits) -> Result<Learner<'r>> {
    let text = |column| row.text(column);
    let [id, grade, parent1, parent2] = &mut digits.0;
    Ok(Learner {
        id: row.digits(0, id)?,
        first_name: text(1)?,
        last_name: text(2)?,
        mobile_calling_code: text(3)?,
        mobile_number: text(4)?,
        email_address: text(5)?,
        date_of_birth: text(6)?,
        gender: text(7)?,
        ethnic_group_id: text(8)?,
        ethnic_group: text(9)?,
        home_language_id: text(10)?,
        home_language: text(11)?,
        tuition_language_id: text(12)?,
        tuition_language: text(13)?,
        nationality: text(14)?,
        admission_number: text(15)?,
        family_code: text(16)?,
        id_number: text(17)?,
        passport_number: text(18)?,
        grade_id: row.digits(19, grade)?,
        grade: text(20)?,
        register_class_name: text(21)?,
        register_class_teacher_id: text(22)?,
        country: text(23)?,
        province: text(24)?,
        education_stream: text(25)?,
        photo_url: text(26)?,
        parent1_id: row.digits(27, parent1)?,
        parent2_id: row.digits(28, parent2)?,
        parents: None,
    })
}

/// The parent whose columns begin here, if there is one.
fn parent<'r>(
    row: &'r Row<'_>,
    first: usize,
    digits: &'r mut itoa::Buffer,
) -> Result<Option<Parent<'r>>> {
    if row.integer(first)?.is_none() {
        return Ok(None);
    }
    let text = |column: usize| row.text(first + column);
    let mut income = String::new();
    if let Some(millionths) = row.integer(first + 24)? {
        decimal::push(&mut income, millionths);
    }
    Ok(Some(Parent {
        id: row.digits(first, digits)?,
        title: text(1)?,
        first_name: text(2)?,
        last_name: text(3)?,
        mobile_calling_code: text(4)?,
        mobile_number: text(5)?,
        email_address: text(6)?,
        date_of_birth: text(7)?,
        gender: text(8)?,
        ethnic_group_id: text(9)?,
        ethnic_group: text(10)?,
        residential_address: text(11)?,
        postal_address: text(12)?,
        home_language_id: text(13)?,
        home_language: text(14)?,
        nationality: text(15)?,
        family_code: text(16)?,
        id_number: text(17)?,
        passport_number: text(18)?,
        marital_status_id: text(19)?,
        marital_status: text(20)?,
        occupation_status: text(21)?,
        occupation: text(22)?,
        employment_sector: text(23)?,
        gross_annual_income: income.into(),
    }))
}

/// Writes the learners that a statement finds.
pub(super) fn answer(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut array = Array::open(out);
    while let Some(row) = rows.next()? {
        array.push(&learner(row, &mut Digits::default())?)?;
    }
    array.close();
    Ok(())
}

/// Writes the learners of two grades, each with its parents.
pub(super) fn with_parents(
    connection: &Connection,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(WITH_PARENTS)?;
    let mut rows = statement.query(params)?;
    let mut array = Array::open(out);
    while let Some(row) = rows.next()? {
        let (mut one, mut two) = (itoa::Buffer::new(), itoa::Buffer::new());
        let parents = [
            parent(row, LEARNER, &mut one)?,
            parent(row, LEARNER + PARENT, &mut two)?,
        ];
        let mut digits = Digits::default();
        let mut learner = learner(row, &mut digits)?;
        learner.parents = Some(parents.into_iter().flatten().collect());
        array.push(&learner)?;
    }
    array.close();
    Ok(())
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[CURRENT, ONE, NAMED, LEFT, WITH_PARENTS];
