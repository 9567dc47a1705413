//! Answers typed questions of a trusted app, without credentials and activation.

use super::envelope::finish;
use super::message::Status;
use super::page::{self, Limits, Page};
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::{Query, ValidationErrors, View, ensure_available};

/// Answers a question in the format of v1.
pub(crate) fn answer_question(
    question: &dyn Query,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    ensure_available(question, view, false)?;
    let outcome = question.answer(view, &mut OutputBuffer::over(out))?;
    Ok(finish(ApiVersion::V1, question.endpoint(), outcome, out))
}

/// Answers one page of a question in the format of v2.
pub(crate) fn answer_page(
    question: &dyn Query,
    page: &Page<'_>,
    limits: Limits,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let page = (*page, ValidationErrors::default());
    let outcome = page::page(
        question,
        page,
        ValidationErrors::default(),
        limits,
        view,
        out,
    )?;
    Ok(finish(ApiVersion::V2, question.endpoint(), outcome, out))
}

/// Answers the one record that matches a question in the format of v2.
pub(crate) fn answer_record(
    question: &dyn Query,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let outcome = page::one(question, ValidationErrors::default(), false, view, out)?;
    Ok(finish(ApiVersion::V2, question.endpoint(), outcome, out))
}
