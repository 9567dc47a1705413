//! The subjects that learners take, with their terms and term marks (4.3 to
//! 4.5), and absences (4.9).

pub(super) const ABSENTEES: &str = array!(
    "json_object('id', id || '', 'learner_id', learner_id || '', 'absent_date', absent_date,
         'absent_reason', absent_reason)",
    "FROM absentee WHERE school_id = ?1 AND absent_date BETWEEN ?2 AND ?3
     ORDER BY absent_date, id"
);

pub(super) const OF_SCHOOL: &str = array!(
    "json_object('learner_id', l.id || '', 'first_name', l.first_name, 'last_name', l.last_name,
         'subject_id', ls.subject_id, 'subject_name', coalesce(s.subject_name, ''))",
    concat!(
        "FROM learner l
         CROSS JOIN learner_subject ls ON ls.school_id = l.school_id AND ls.learner_id = l.id
             AND ls.year = ",
        current_year!(),
        " LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
         WHERE l.school_id = ?1 AND +l.status = 'current'
         ORDER BY l.id, ls.subject_id"
    )
);

/// A learner's subjects of the year.
macro_rules! from_subjects {
    () => {
        concat!(
            "FROM learner_subject ls
             LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
             LEFT JOIN grade g ON g.school_id = ls.school_id AND g.grade_id = ls.grade_id
             WHERE ls.school_id = ?1 AND ls.learner_id = ?2 AND ls.year = ",
            current_year!()
        )
    };
}

/// The terms of a subject in order.
macro_rules! from_terms {
    () => {
        "FROM learner_subject_term lt
         LEFT JOIN term t ON t.school_id = ls.school_id AND t.year = ls.year AND t.term = lt.term
         WHERE lt.school_id = ls.school_id AND lt.year = ls.year
             AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id"
    };
}

pub(super) const PER_TERM: &str = array!(
    concat!(
        "rtrim(json_object('year', ls.year || '', 'subject_id', ls.subject_id || '',
             'subject_name', coalesce(s.subject_name, ''),
             'super_subject_id', coalesce(s.super_subject_id, ''),
             'super_subject_name', coalesce(s.super_subject_name, ''),
             'grade_id', ls.grade_id || '', 'grade', coalesce(g.grade, '')), '}')
         || ',\"terms\":' || coalesce((",
        array!(
            "json_object('term_id', coalesce(t.term_id, 0), 'term', lt.term || '',
                 'subject_group_id', lt.subject_group_id,
                 'subject_group_name', lt.subject_group_name, 'classroom_id', lt.classroom_id,
                 'classroom_name', lt.classroom_name,
                 'subject_group_teacher_id', lt.subject_group_teacher_id)",
            concat!(from_terms!(), " ORDER BY lt.term")
        ),
        "), '[]') || '}'"
    ),
    concat!(from_subjects!(), " ORDER BY ls.subject_id")
);

// A subject without a mark has no terms, and so is null itself.
pub(super) const MARKS: &str = array!(
    concat!(
        "rtrim(json_object('year', ls.year || '', 'subject_id', ls.subject_id || '',
             'subject_name', coalesce(s.subject_name, ''), 'grade_id', ls.grade_id || '',
             'grade', coalesce(g.grade, '')), '}')
         || ',\"terms\":' || (",
        array!(
            concat!(
                "json_object('term', lt.term || '', 'mark', ",
                decimal!("lt.mark"),
                ")"
            ),
            "FROM learner_subject_term lt
             WHERE lt.school_id = ls.school_id AND lt.year = ls.year
                 AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
                 AND lt.mark IS NOT NULL
             ORDER BY lt.term"
        ),
        ") || '}'"
    ),
    concat!(from_subjects!(), " ORDER BY ls.subject_id")
);
