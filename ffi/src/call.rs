//! The encoding of requests, questions and answers for direct calls: one buffer for the input, and
//! one for the output.

use crate::UniFfiTag;
use crate::engine::Engine;
use crate::error::{Result, RollbookError};
use crate::question::{Page, Question};
use crate::request::Request;
use uniffi::{Lift, Lower};

/// The maximum length of an answer that is written to the memory of the caller, in bytes.
pub(crate) const INLINE_BYTES: usize = 4096;

/// The bytes of an answer: the body, followed by the text of its `Allow` header.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) allow: u16,
    pub(crate) bytes: Vec<u8>,
}

impl Reply {
    /// Creates a reply that is not an answer: a list of answers, an error, or the text of a panic.
    pub(crate) fn new(bytes: Vec<u8>) -> Reply {
        Reply {
            status: 0,
            allow: 0,
            bytes,
        }
    }
}

/// Answers the call in a buffer, which contains a byte that identifies the call, and its arguments
/// in the encoding of uniffi, one after the other.
///
/// | byte | call | arguments |
/// |--:|---|---|
/// | 0 | request | a request |
/// | 1 | requests | a list of requests |
/// | 2 | ask | a question, the instant |
/// | 3 | find | a question, the instant |
/// | 4 | page | a question, the page, the instant |
///
/// The reply to a list has the status 0. For each request it contains the status (two bytes), the
/// length of `Allow` (two bytes), the length of the body (eight bytes), the body and `Allow`. All
/// numbers are big-endian.
///
/// The stated length of a list must be its actual length, and no bytes may follow the last
/// argument. Therefore a package must count the elements that it has written, because another
/// thread may change the list meanwhile.
pub(crate) fn reply(engine: &Engine, input: &[u8]) -> Result<Reply> {
    let (call, mut rest) = input.split_first().ok_or_else(unknown)?;
    let input = &mut rest;
    let engine = engine.inner();
    let mut bytes = Vec::with_capacity(INLINE_BYTES);
    let status = match call {
        0 => {
            let request = read_request(input)?;
            check_end(input)?;
            request.with(|request| engine.answer(request, &mut bytes))
        }
        1 => {
            let requests = read_list(input, read_request)?;
            check_end(input)?;
            return Ok(answer_all(engine, &requests));
        }
        2 | 3 => {
            let (question, now) = (read::<Question>(input)?, read(input)?);
            check_end(input)?;
            let asked = question.to_core()?;
            if *call == 2 {
                engine.ask_into(&*asked, now, &mut bytes)?
            } else {
                engine.find_into(&*asked, now, &mut bytes)?
            }
        }
        4 => {
            let (question, page) = (read::<Question>(input)?, read::<Page>(input)?);
            let now = read(input)?;
            check_end(input)?;
            engine.page_into(&*question.to_core()?, &page.to_core(), now, &mut bytes)?
        }
        _ => return Err(unknown()),
    };
    let allow = status.allow.unwrap_or_default();
    bytes.extend_from_slice(allow.as_bytes());
    Ok(Reply {
        status: status.code,
        allow: allow_length(allow),
        bytes,
    })
}

fn answer_all(engine: &rollbook::Engine, requests: &[Request]) -> Reply {
    let (mut bytes, mut body) = (Vec::new(), Vec::new());
    for request in requests {
        let status = request.with(|request| engine.answer(request, &mut body));
        let allow = status.allow.unwrap_or_default();
        bytes.extend_from_slice(&status.code.to_be_bytes());
        bytes.extend_from_slice(&allow_length(allow).to_be_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_be_bytes());
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(allow.as_bytes());
    }
    Reply::new(bytes)
}

/// Encodes an error as uniffi does: the number of its case, and its text.
pub(crate) fn encode_error(error: RollbookError) -> Vec<u8> {
    let mut bytes = Vec::new();
    <RollbookError as Lower<UniFfiTag>>::write(error, &mut bytes);
    bytes
}

/// Reads a request, whose fields are encoded in their order.
fn read_request(input: &mut &[u8]) -> Result<Request> {
    Ok(Request {
        target: read(input)?,
        method: read(input)?,
        headers: read_list(input, read)?,
        body: read(input)?,
        now: read(input)?,
    })
}

/// Reads a list. Each element takes at least one byte, so a list with more elements than bytes is
/// refused. uniffi would allocate memory for the stated number of elements.
fn read_list<T>(input: &mut &[u8], element: impl Fn(&mut &[u8]) -> Result<T>) -> Result<Vec<T>> {
    let count = usize::try_from(read::<i32>(input)?).ok();
    let count = count.filter(|count| *count <= input.len());
    let count = count.ok_or_else(unknown)?;
    (0..count).map(|_| element(input)).collect()
}

fn read<T: Lift<UniFfiTag>>(input: &mut &[u8]) -> Result<T> {
    T::try_read(input).map_err(|bad| RollbookError::BadArgument(bad.to_string()))
}

/// Fails if any bytes follow the last argument, because then a list is longer than it states.
fn check_end(input: &[u8]) -> Result<()> {
    if input.is_empty() {
        return Ok(());
    }
    Err(unknown())
}

fn unknown() -> RollbookError {
    RollbookError::BadArgument(
        "invalid call: a list in it was changed meanwhile, or the package \
         and its library are from different builds"
            .to_owned(),
    )
}

/// Returns the length of the text of `Allow`.
fn allow_length(allow: &str) -> u16 {
    u16::try_from(allow.len()).unwrap_or_default()
}
