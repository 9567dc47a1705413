//! The parameters of a request: their types (`params`), the errors of all of them
//! (`validation_errors`), ranges of dates (`date_window`) and the status of learners
//! (`learner_status`).

pub(crate) mod date_window;
pub(crate) mod learner_status;
pub(crate) mod params;
pub(crate) mod validation_errors;
