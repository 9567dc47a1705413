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
    pub(crate) fn new(bytes: Vec<u8>) -> Reply {
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
///
/// A list is as long as it says, and nothing comes behind the last argument: a package
/// counts what it wrote, and not what it was given.
pub(crate) fn reply(engine: &Engine, input: &[u8]) -> Result<Reply> {
    let (call, mut rest) = input.split_first().ok_or_else(unknown)?;
    let input = &mut rest;
    let engine = engine.inner();
    let mut bytes = Vec::with_capacity(ROOM);
    let status = match call {
        0 => {
            let request = request(input)?;
            ended(input)?;
            request.with(|request| engine.answer(request, &mut bytes))
        }
        1 => {
            let requests = list(input, request)?;
            ended(input)?;
            return Ok(replies(engine, &requests));
        }
        2 | 3 => {
            let (question, now) = (read::<Question>(input)?, read(input)?);
            ended(input)?;
            let asked = question.as_asked()?;
            if *call == 2 {
                engine.ask_into(&*asked, now, &mut bytes)?
            } else {
                engine.find_into(&*asked, now, &mut bytes)?
            }
        }
        4 => {
            let (question, page) = (read::<Question>(input)?, read::<Page>(input)?);
            let now = read(input)?;
            ended(input)?;
            engine.page_into(&*question.as_asked()?, &page.as_asked(), now, &mut bytes)?
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
    Reply::new(bytes)
}

/// An error as uniffi writes it: the number of its case, and its text.
pub(crate) fn refusal(error: RollbookError) -> Vec<u8> {
    let mut bytes = Vec::new();
    <RollbookError as Lower<UniFfiTag>>::write(error, &mut bytes);
    bytes
}

/// A request: its fields in their order.
fn request(input: &mut &[u8]) -> Result<Request> {
    Ok(Request {
        target: read(input)?,
        method: read(input)?,
        headers: list(input, read)?,
        body: read(input)?,
        now: read(input)?,
    })
}

/// A list, with no more room than the input has elements for: each takes a byte at
/// least. uniffi makes room for as many as are said to come.
fn list<T>(input: &mut &[u8], element: impl Fn(&mut &[u8]) -> Result<T>) -> Result<Vec<T>> {
    let count = usize::try_from(read::<i32>(input)?).ok();
    let count = count.filter(|count| *count <= input.len());
    let count = count.ok_or_else(unknown)?;
    (0..count).map(|_| element(input)).collect()
}

fn read<T: Lift<UniFfiTag>>(input: &mut &[u8]) -> Result<T> {
    T::try_read(input).map_err(|bad| RollbookError::BadArgument(bad.to_string()))
}

/// Refuses what is left behind the last argument: some list before it said too little.
fn ended(input: &[u8]) -> Result<()> {
    if input.is_empty() {
        return Ok(());
    }
    Err(unknown())
}

fn unknown() -> RollbookError {
    RollbookError::BadArgument(
        "this is no call: a list that is asked with was changed meanwhile, or the package \
         and its library are not of one build"
            .to_owned(),
    )
}

/// The length of a list of methods.
fn short(allow: &str) -> u16 {
    u16::try_from(allow.len()).unwrap_or_default()
}
