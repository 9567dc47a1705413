//! Writers of the records of a collection: pre-rendered records by id (`id_lists`) and by date
//! (`dated_question`), and the subjects (`enrolled_subjects`) and parents (`learner_parents`) of a
//! learner.

pub(crate) mod dated_question;
pub(crate) mod enrolled_subjects;
pub(crate) mod id_lists;
pub(crate) mod learner_parents;
