//! Questions of an app that is trusted: no credentials, no activation.

use super::envelope::settle;
use super::message::Status;
use super::page::{self, Limits, Page};
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::query::{Faults, Query, View, ensure_seen};

/// Answers a question as v1 does.
pub(crate) fn answer_question(
    question: &dyn Query,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    ensure_seen(question, view, Wire::V1, false)?;
    let outcome = question.answer(view, &mut Chunks::over(out))?;
    Ok(settle(Wire::V1, question.endpoint(), outcome, out))
}

/// Answers one page of a question as v2 does.
pub(crate) fn answer_page(
    question: &dyn Query,
    page: &Page<'_>,
    limits: Limits,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let page = (*page, Faults::default());
    let outcome = page::page(question, page, Faults::default(), limits, view, out)?;
    Ok(settle(Wire::V2, question.endpoint(), outcome, out))
}

/// Answers the one record that a question finds as v2 does.
pub(crate) fn answer_record(
    question: &dyn Query,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let outcome = page::one(question, Faults::default(), false, view, out)?;
    Ok(settle(Wire::V2, question.endpoint(), outcome, out))
}
