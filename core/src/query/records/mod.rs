//! Writers of the records of a collection: pre-rendered records by id (`id_lists`) and by date
//! (`dated_question`), the subjects (`enrolled_subjects`) and parents (`learner_parents`) of a
//! learner, and look-ups of many records by their keys (`key_lookup`).

pub(crate) mod dated_question;
pub(crate) mod enrolled_subjects;
pub(crate) mod id_lists;
pub(crate) mod key_lookup;
pub(crate) mod learner_parents;
