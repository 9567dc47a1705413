//! The short way over the boundary, for what is asked thousands of times a second.
//!
//! uniffi's way costs ten times what most answers do: from Python and Kotlin a handle is
//! cloned, and several buffers are made, filled and given back, each by a call of its
//! own. Here it is one call. The package writes the arguments into memory of its own,
//! and small answers are written into memory of its own.
//!
//! This is the one file with unsafe code that was written by hand: a C interface has
//! nothing but addresses. Who calls it is in this repository alone, one file for each
//! language, and keeps three promises:
//!
//! - The engine's address is that of [`Engine::address`], and the object that gave it is
//!   referred to until the call has returned.
//! - Input and output are memory of its own, as long as it says and as [`Output`] is,
//!   which nobody else writes into until the call has returned.
//! - What was lent in an output is given back before the next call writes into it, and
//!   not looked at afterwards. Until a first call has written an output it is all zeros.
#![allow(unsafe_code, clippy::cast_possible_truncation)]

use crate::call::{self, ROOM, Reply};
use crate::engine::Engine;
use crate::error::Result;
use crate::live_query;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

/// The version of what crosses: of [`Output`], of the functions here and of
/// [`call::reply`]. A change to any of them raises it, and each package's own with it.
const VERSION: u64 = 1;

/// What a package looks at when it is loaded, before the first call: the version, and
/// behind it in 32 bits how long an [`Output`] is. Of another build, the engine would
/// write past the package's memory.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rollbook_form() -> u64 {
    (VERSION << 32) | size_of::<Output>() as u64
}

/// Returns the number of listeners that may still run code of the package: it waits for them
/// before its interpreter ends.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rollbook_listeners() -> u64 {
    live_query::listeners()
}

/// Where a reply is found.
#[repr(C)]
pub(crate) struct Output {
    head: Head,
    room: [u8; ROOM],
}

/// What a reply is. Numbers are as the machine has them.
#[repr(C)]
pub(crate) struct Head {
    /// Where the bytes are, if they were lent and are to be given back.
    lent: u64,
    /// How much was lent; 0 if the bytes are in the room behind.
    capacity: u64,
    /// How many bytes there are.
    length: u64,
    /// The status of the answer.
    status: u16,
    /// How many of the bytes, the last, are the text of `Allow`.
    allow: u16,
    /// What became of the call: 0, an answer; 1, an error in uniffi's form; 2, the text
    /// of a panic.
    outcome: u32,
}

/// Answers a request or a question: `input` as [`call::reply`] says.
///
/// # Safety
/// The caller keeps the promises of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_call(
    engine: *const c_void,
    input: *const u8,
    length: usize,
    output: *mut Output,
) {
    // No slice may be of either, even if nothing is read of it.
    let is_none = input.is_null() || length > isize::MAX.unsigned_abs();
    // SAFETY: the caller keeps the input, and nobody writes into it.
    let input = (!is_none).then(|| unsafe { slice::from_raw_parts(input, length) });
    let input = input.unwrap_or_default();
    // SAFETY: the caller keeps the engine and the output, which nobody else writes into.
    let (engine, output) = unsafe { (&*engine.cast::<Engine>(), &mut *output) };
    let (outcome, reply) = outcome(|| call::reply(engine, input));
    output.put(outcome, reply);
}

/// [`rollbook_call`] for the JVM, which has addresses as numbers of 64 bits alone.
///
/// # Safety
/// The caller keeps the promises of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_call_at(
    engine: u64,
    input: u64,
    length: u64,
    output: u64,
) {
    // SAFETY: the caller's promises; an address and a length of this machine fit `usize`.
    unsafe {
        rollbook_call(
            engine as usize as *const c_void,
            input as usize as *const u8,
            length as usize,
            output as usize as *mut Output,
        );
    }
}

/// Takes back what an output lent, if it did: another time it does nothing. One call,
/// so that a signal which Python hears of in between cannot leave it half done. The head
/// may be a copy, if the output is not given back as well.
///
/// # Safety
/// The caller keeps the promises of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_give_back(head: *mut Head) {
    // SAFETY: the caller's own memory, which a call has written.
    let head = unsafe { &mut *head };
    let capacity = std::mem::take(&mut head.capacity) as usize;
    if capacity != 0 {
        let lent = head.lent as usize as *mut u8;
        // SAFETY: both are of a vector that `put` let go, and no longer in the head.
        drop(unsafe { Vec::from_raw_parts(lent, 0, capacity) });
    }
}

/// [`rollbook_give_back`] for the JVM.
///
/// # Safety
/// The caller keeps the promises of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_give_back_at(head: u64) {
    // SAFETY: as above.
    unsafe { rollbook_give_back(head as usize as *mut Head) }
}

/// What became of a call, with the bytes that say so. No panic leaves it.
fn outcome(call: impl FnOnce() -> Result<Reply>) -> (u32, Reply) {
    // What the engine guards by locks stays sound after a panic; nothing else is shared.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(reply)) => (0, reply),
        Ok(Err(error)) => (1, Reply::new(call::refusal(error))),
        Err(panic) => (2, Reply::new(said(&*panic).into())),
    }
}

impl Output {
    fn put(&mut self, outcome: u32, reply: Reply) {
        let Reply {
            status,
            allow,
            bytes,
        } = reply;
        self.head = Head {
            lent: 0,
            capacity: 0,
            length: bytes.len() as u64,
            status,
            allow,
            outcome,
        };
        if let Some(room) = self.room.get_mut(..bytes.len()) {
            room.copy_from_slice(&bytes);
        } else {
            let mut bytes = std::mem::ManuallyDrop::new(bytes);
            self.head.lent = bytes.as_mut_ptr() as usize as u64;
            self.head.capacity = bytes.capacity() as u64;
        }
    }
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the engine panicked")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::error::RollbookError;

    const ASK: u8 = 2;

    fn school(learners: usize) -> std::sync::Arc<Engine> {
        let mut lines = r#"{"type":"school","school_id":1,"current_year":2026}"#.to_owned();
        for id in 1..=learners {
            let learner = format!("\n{{\"type\":\"learner\",\"school_id\":1,\"id\":{id}}}");
            lines.push_str(&learner);
        }
        let engine = Engine::memory(None).unwrap();
        engine.apply(Dataset::Text { text: lines }, None).unwrap();
        engine
    }

    fn output() -> Box<Output> {
        let head = Head {
            lent: 7,
            capacity: 7,
            length: 7,
            status: 7,
            allow: 7,
            outcome: 7,
        };
        Box::new(Output {
            head,
            room: [7; ROOM],
        })
    }

    /// One call, as each package makes it: what became of it, the status, the bytes, and
    /// whether they were lent.
    fn called(engine: &Engine, input: &[u8]) -> (u32, u16, Vec<u8>, bool) {
        let mut output = output();
        let engine = engine.address();
        let at = input.as_ptr() as u64;
        // SAFETY: the engine and both buffers outlive the call.
        unsafe { rollbook_call_at(engine, at, input.len() as u64, &raw mut *output as u64) };
        let by_number = found(&mut output);
        let engine = engine as *const c_void;
        // SAFETY: as above.
        unsafe { rollbook_call(engine, input.as_ptr(), input.len(), &raw mut *output) };
        assert_eq!(found(&mut output), by_number);
        by_number
    }

    /// What a call left, which is given back.
    fn found(output: &mut Output) -> (u32, u16, Vec<u8>, bool) {
        let length = usize::try_from(output.head.length).unwrap();
        let (bytes, lent) = if output.head.capacity == 0 {
            (output.room[..length].to_vec(), false)
        } else {
            // SAFETY: so many bytes were lent.
            let bytes = unsafe { slice::from_raw_parts(output.head.lent as *const u8, length) };
            (bytes.to_vec(), true)
        };
        for _ in 0..2 {
            // SAFETY: what was lent is no longer looked at.
            unsafe { rollbook_give_back(&raw mut output.head) };
            assert_eq!(output.head.capacity, 0);
        }
        (output.head.outcome, output.head.status, bytes, lent)
    }

    /// The learners of school 1: the case, the school, and eight fields left out.
    fn learners() -> Vec<u8> {
        [&[ASK], &*of_school(&[])].concat()
    }

    /// The question for learners of these grades, and no instant.
    fn of_school(grades: &[u64]) -> Vec<u8> {
        let mut question = learners_of(grades);
        question.push(0);
        question
    }

    fn learners_of(grades: &[u64]) -> Vec<u8> {
        let mut input = 1_i32.to_be_bytes().to_vec();
        input.extend_from_slice(&1_u64.to_be_bytes());
        input.extend_from_slice(&[0; 4]);
        input.extend_from_slice(&count(grades.len()));
        for grade in grades {
            input.extend_from_slice(&grade.to_be_bytes());
        }
        input.extend_from_slice(&[0; 3]);
        input
    }

    fn count(length: usize) -> [u8; 4] {
        i32::try_from(length).unwrap().to_be_bytes()
    }

    fn text(text: &str) -> Vec<u8> {
        [&count(text.len()), text.as_bytes()].concat()
    }

    const TARGET: &str = "/api/v1/adminplus/learners/1";

    /// A request with two headers, no body and no instant.
    fn request() -> Vec<u8> {
        let mut input = [text(TARGET), text("GET"), count(2).to_vec()].concat();
        for name in ["HTTP-X-USERNAME", "HTTP-X-PASSWORD"] {
            input.extend([text(name), text("demo")].concat());
        }
        [input, text(""), vec![0]].concat()
    }

    /// Where the number of headers stands in a request.
    const HEADERS: usize = 4 + TARGET.len() + 4 + 3;

    /// Every call with all its arguments, and where in it lists say how long they are.
    fn calls() -> [(Vec<u8>, Vec<usize>); 5] {
        let grades = 1 + 4 + 8 + 4;
        let requests = [request(), request()].concat();
        let list = [&[1], &count(2)[..], &*requests].concat();
        let second = 5 + request().len();
        let page = [&[4], &*learners_of(&[8, 9]), &[0, 0, 0, 0]].concat();
        [
            ([&[0], &*request()].concat(), vec![1 + HEADERS]),
            (list, vec![1, 5 + HEADERS, second + HEADERS]),
            ([&[ASK], &*of_school(&[8, 9])].concat(), vec![grades]),
            ([&[3], &*of_school(&[8, 9])].concat(), vec![grades]),
            (page, vec![grades]),
        ]
    }

    #[test]
    fn answers_are_the_engines_own_in_the_callers_memory_or_lent() {
        for (count, is_lent) in [(1, false), (100, true)] {
            let engine = school(count);
            let question = rollbook::Learners {
                school: 1,
                ..rollbook::Learners::default()
            };
            let answer = engine.inner().ask(&question).unwrap();
            let expected = (0, answer.status.code, answer.body, is_lent);
            assert_eq!(called(&engine, &learners()), expected);
        }
    }

    #[test]
    fn a_call_with_less_or_more_than_its_arguments_is_refused() {
        let engine = school(1);
        for (whole, _) in calls() {
            assert_eq!(called(&engine, &whole).0, 0, "call {}", whole[0]);
            for end in 0..whole.len() {
                let (outcome, ..) = called(&engine, &whole[..end]);
                assert_eq!(outcome, 1, "call {}, {end} bytes", whole[0]);
            }
            for more in [0, 1] {
                let (outcome, ..) = called(&engine, &[&*whole, &[more]].concat());
                assert_eq!(outcome, 1, "call {}, a byte {more} more", whole[0]);
            }
        }
        for call in 5..=u8::MAX {
            assert_eq!(called(&engine, &[call]).0, 1);
        }
    }

    #[test]
    fn a_list_that_is_not_as_long_as_it_says_is_refused() {
        let engine = school(1);
        for (whole, lists) in calls() {
            for at in lists {
                for wrong in [-1, 0, 1, 3, 200] {
                    let mut input = whole.clone();
                    input[at..at + 4].copy_from_slice(&i32::to_be_bytes(wrong));
                    let (outcome, ..) = called(&engine, &input);
                    assert_eq!(outcome, 1, "call {}, {wrong} at {at}", whole[0]);
                }
            }
        }
    }

    #[test]
    fn no_number_of_requests_or_headers_takes_memory_that_is_not_there() {
        let engine = school(1);
        let [one, many, ..] = calls();
        for (whole, lists) in [one, many] {
            for at in lists {
                let mut input = whole.clone();
                input[at..at + 4].copy_from_slice(&i32::MAX.to_be_bytes());
                assert_eq!(called(&engine, &input).0, 1);
            }
        }
    }

    #[test]
    fn no_input_is_no_call() {
        let engine = school(1);
        let engine = std::ptr::from_ref(&*engine).cast();
        let byte = [ASK];
        for (input, length) in [(std::ptr::null(), 9), (byte.as_ptr(), usize::MAX)] {
            let mut output = output();
            // SAFETY: both are no input, and not looked at.
            unsafe { rollbook_call(engine, input, length, &raw mut *output) };
            assert_eq!(found(&mut output).0, 1);
        }
    }

    /// The packages have these numbers too: whoever changes them here changes them there.
    #[test]
    fn the_form_is_what_the_packages_expect() {
        assert_eq!(rollbook_form(), (1 << 32) + 4128);
        let offsets = [
            std::mem::offset_of!(Head, lent),
            std::mem::offset_of!(Head, capacity),
            std::mem::offset_of!(Head, length),
            std::mem::offset_of!(Head, status),
            std::mem::offset_of!(Head, allow),
            std::mem::offset_of!(Head, outcome),
            std::mem::offset_of!(Output, room),
        ];
        assert_eq!(offsets, [0, 8, 16, 24, 26, 28, 32]);
    }

    #[test]
    fn an_error_is_the_number_of_its_case_and_its_text() {
        let engine = school(1);
        engine.close().unwrap();
        let (outcome, status, bytes, _) = called(&engine, &learners());
        assert_eq!((outcome, status), (1, 0));
        let text = RollbookError::from(rollbook::Error::Closed).to_string();
        assert_eq!(bytes[..4], 6_i32.to_be_bytes());
        assert_eq!(&bytes[8..], text.as_bytes());
    }

    #[test]
    fn a_panic_is_an_outcome() {
        let (outcome, reply) = outcome(|| panic!("{} is odd", 3));
        assert_eq!((outcome, reply.bytes), (2, b"3 is odd".to_vec()));
    }
}
