//! Learners, alone and with their parents (4.1).

/// A learner's object.
macro_rules! learner {
    () => {
        "json_object('id', l.id || '', 'first_name', l.first_name, 'last_name', l.last_name,
             'mobile_calling_code', l.mobile_calling_code,
             'mobile_number', l.mobile_number, 'email_address', l.email_address,
             'date_of_birth', l.date_of_birth, 'gender', l.gender,
             'ethnic_group_id', l.ethnic_group_id, 'ethnic_group', l.ethnic_group,
             'home_language_id', l.home_language_id, 'home_language', l.home_language,
             'tuition_language_id', l.tuition_language_id,
             'tuition_language', l.tuition_language, 'nationality', l.nationality,
             'admission_number', l.admission_number, 'family_code', l.family_code,
             'id_number', l.id_number, 'passport_number', l.passport_number,
             'grade_id', coalesce(l.grade_id || '', ''), 'grade', l.grade,
             'register_class_name', l.register_class_name,
             'register_class_teacher_id', l.register_class_teacher_id,
             'country', l.country, 'province', l.province,
             'education_stream', l.education_stream, 'photo_url', l.photo_url,
             'parent1_id', coalesce(l.parent1_id || '', ''),
             'parent2_id', coalesce(l.parent2_id || '', ''))"
    };
}

/// A parent, and its object or null.
macro_rules! parent {
    () => {
        concat!(
            "(SELECT school_id, id, json_object('id', id || '', 'title', title, 'first_name', first_name,
             'last_name', last_name, 'mobile_calling_code', mobile_calling_code,
             'mobile_number', mobile_number, 'email_address', email_address,
             'date_of_birth', date_of_birth, 'gender', gender,
             'ethnic_group_id', ethnic_group_id, 'ethnic_group', ethnic_group,
             'residential_address', residential_address,
             'postal_address', postal_address, 'home_language_id', home_language_id,
             'home_language', home_language, 'nationality', nationality,
             'family_code', family_code, 'id_number', id_number,
             'passport_number', passport_number, 'marital_status_id', marital_status_id,
             'marital_status', marital_status, 'occupation_status', occupation_status,
             'occupation', occupation, 'employment_sector', employment_sector,
             'gross_annual_income', coalesce(",
            decimal!("gross_annual_income"),
            ", '')) AS object FROM parent)"
        )
    };
}

// Nearly all learners are current, so the table itself is read, not an index
// (hence the plus).
pub(super) const CURRENT: &str = array!(
    learner!(),
    "FROM learner l WHERE l.school_id = ?1 AND +l.status = 'current' ORDER BY l.id"
);

pub(super) const ONE: &str = array!(
    learner!(),
    "FROM learner l WHERE l.school_id = ?1 AND l.id = ?2 AND l.status = 'current'"
);

// The roll is searched first, whole in its narrow index; only the learners
// that are found are read.
pub(super) const NAMED: &str = array!(
    learner!(),
    "FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
     WHERE r.school_id = ?1 AND r.status = 'current' AND instr(r.folded_name, ?2) > 0
     ORDER BY r.id"
);

pub(super) const LEFT: &str = array!(
    learner!(),
    "FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
     WHERE r.school_id = ?1 AND r.status = 'left' AND r.transfer_date BETWEEN ?2 AND ?3
     ORDER BY r.id"
);

// The parents go before the brace that ends a learner.
pub(super) const WITH_PARENTS: &str = array!(
    concat!(
        "rtrim(",
        learner!(),
        ", '}') || ',\"parents\":[' || concat_ws(',', p1.object, p2.object) || ']}'"
    ),
    concat!(
        "FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
         LEFT JOIN ",
        parent!(),
        " p1 ON p1.school_id = l.school_id AND p1.id = l.parent1_id LEFT JOIN ",
        parent!(),
        " p2 ON p2.school_id = l.school_id AND p2.id = l.parent2_id
         WHERE r.school_id = ?1 AND r.status = 'current' AND r.grade_id IN (?2, ?3)
         ORDER BY r.id"
    )
);
