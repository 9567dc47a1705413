//! Requests and questions as they cross on the short way: one buffer in, one out.

use crate::UniFfiTag;
use crate::engine::Engine;
use crate::error::{Result, RollbookError};
use crate::question::{Page, Question};
use crate::request::Request;
use uniffi::{Lift, Lower};

/// How many bytes an answer may have to be written into the caller's own memory.
pub(crate) const ROOM: usize = 4096;

/// The bytes of an answer: the body, and behind it the text of its `Allow` header.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) allow: u16,
    pub(crate) bytes: Vec<u8>,
}

impl Reply {
    /// Bytes that are no answer.
    pub(crate) fn of(bytes: Vec<u8>) -> Reply {
        Reply {
            status: 0,
            allow: 0,
            bytes,
        }
    }
}

/// Answers what a buffer holds: a byte that says which call it is, and its arguments in
/// the form of uniffi, one after the other.
///
/// | byte | call | arguments |
/// |--:|---|---|
/// | 0 | request | a request |
/// | 1 | requests | a list of requests |
/// | 2 | ask | a question, the instant |
/// | 3 | find | a question, the instant |
/// | 4 | page | a question, the page, the instant |
///
/// The reply to a list has status 0, and for each request, all numbers big-endian: the
/// status and the length of `Allow` in two bytes each, that of the body in eight, then
/// both.
pub(crate) fn reply(engine: &Engine, input: &[u8]) -> Result<Reply> {
    let (call, mut rest) = input.split_first().ok_or_else(unknown)?;
    let input = &mut rest;
    let engine = engine.inner();
    let mut bytes = Vec::with_capacity(ROOM);
    let status = match call {
        0 => read::<Request>(input)?.with(|request| engine.answer(request, &mut bytes)),
        1 => return Ok(replies(engine, &read::<Vec<Request>>(input)?)),
        2 => {
            let (question, now) = (read::<Question>(input)?, read(input)?);
            engine.ask_into(&*question.as_asked()?, now, &mut bytes)?
        }
        3 => {
            let (question, now) = (read::<Question>(input)?, read(input)?);
            engine.find_into(&*question.as_asked()?, now, &mut bytes)?
        }
        4 => {
            let (question, page) = (read::<Question>(input)?, read::<Page>(input)?);
            engine.page_into(
                &*question.as_asked()?,
                &page.as_asked(),
                read(input)?,
                &mut bytes,
            )?
        }
        _ => return Err(unknown()),
    };
    let allow = status.allow.unwrap_or_default();
    bytes.extend_from_slice(allow.as_bytes());
    Ok(Reply {
        status: status.code,
        allow: short(allow),
        bytes,
    })
}

fn replies(engine: &rollbook::Engine, requests: &[Request]) -> Reply {
    let (mut bytes, mut body) = (Vec::new(), Vec::new());
    for request in requests {
        let status = request.with(|request| engine.answer(request, &mut body));
        let allow = status.allow.unwrap_or_default();
        bytes.extend_from_slice(&status.code.to_be_bytes());
        bytes.extend_from_slice(&short(allow).to_be_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_be_bytes());
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(allow.as_bytes());
    }
    Reply::of(bytes)
}

/// An error as uniffi writes it: the number of its case, and its text.
pub(crate) fn refusal(error: RollbookError) -> Vec<u8> {
    let mut bytes = Vec::new();
    <RollbookError as Lower<UniFfiTag>>::write(error, &mut bytes);
    bytes
}

fn read<T: Lift<UniFfiTag>>(input: &mut &[u8]) -> Result<T> {
    T::try_read(input).map_err(|bad| RollbookError::BadArgument(bad.to_string()))
}

fn unknown() -> RollbookError {
    RollbookError::BadArgument("the package and its library are not of one build".to_owned())
}

/// The length of a list of methods.
fn short(allow: &str) -> u16 {
    u16::try_from(allow.len()).unwrap_or_default()
}
