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
//! - What was lent in an output is given back once, and not looked at afterwards.
#![allow(unsafe_code, clippy::cast_possible_truncation)]

use crate::call::{self, ROOM, Reply};
use crate::engine::Engine;
use crate::error::Result;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

/// Where a reply is found. Numbers are as the machine has them.
#[repr(C)]
pub(crate) struct Output {
    /// Where the bytes are, if they were lent and are to be given back.
    lent: u64,
    /// How much was lent; 0 if the bytes are in `room`.
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
    room: [u8; ROOM],
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
    // SAFETY: the caller keeps the engine and both buffers, and nobody writes into them.
    let (engine, input, output) = unsafe {
        (
            &*engine.cast::<Engine>(),
            slice::from_raw_parts(input, length),
            &mut *output,
        )
    };
    let (outcome, reply) = outcome(|| call::reply(engine, input));
    output.outcome = outcome;
    output.put(reply);
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

/// [`rollbook_give_back`] for the JVM.
///
/// # Safety
/// The caller keeps the promises of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_give_back_at(lent: u64, capacity: u64) {
    // SAFETY: as above.
    unsafe { rollbook_give_back(lent as usize as *mut u8, capacity as usize) }
}

/// Takes back what an output lent.
///
/// # Safety
/// The caller keeps the promises of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_give_back(lent: *mut u8, capacity: usize) {
    // SAFETY: both are of a vector that `put` let go, and come back once.
    drop(unsafe { Vec::from_raw_parts(lent, 0, capacity) });
}

/// What became of a call, with the bytes that say so. No panic leaves it.
fn outcome(call: impl FnOnce() -> Result<Reply>) -> (u32, Reply) {
    // What the engine guards by locks stays sound after a panic; nothing else is shared.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(reply)) => (0, reply),
        Ok(Err(error)) => (1, Reply::of(call::refusal(error))),
        Err(panic) => (2, Reply::of(said(&*panic).into())),
    }
}

impl Output {
    fn put(&mut self, reply: Reply) {
        let Reply {
            status,
            allow,
            bytes,
        } = reply;
        (self.status, self.allow, self.length) = (status, allow, bytes.len() as u64);
        (self.lent, self.capacity) = (0, 0);
        if let Some(room) = self.room.get_mut(..bytes.len()) {
            room.copy_from_slice(&bytes);
        } else {
            let mut bytes = std::mem::ManuallyDrop::new(bytes);
            self.lent = bytes.as_mut_ptr() as usize as u64;
            self.capacity = bytes.capacity() as u64;
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
        Box::new(Output {
            lent: 7,
            capacity: 7,
            length: 7,
            status: 7,
            allow: 7,
            outcome: 7,
            room: [7; ROOM],
        })
    }

    /// One call, as a package makes it: what became of it, the status, the bytes, and
    /// whether they were lent.
    fn called(engine: &Engine, input: &[u8]) -> (u32, u16, Vec<u8>, bool) {
        let mut output = output();
        let address = std::ptr::from_ref(engine).cast();
        assert_eq!(engine.address(), address as u64);
        // SAFETY: the engine and both buffers outlive the call.
        unsafe { rollbook_call(address, input.as_ptr(), input.len(), &raw mut *output) };
        let length = usize::try_from(output.length).unwrap();
        let (bytes, lent) = if output.capacity == 0 {
            (output.room[..length].to_vec(), false)
        } else {
            // SAFETY: so many bytes were lent, and are given back once.
            unsafe {
                let lent = output.lent as *mut u8;
                let bytes = slice::from_raw_parts(lent, length).to_vec();
                rollbook_give_back(lent, usize::try_from(output.capacity).unwrap());
                (bytes, true)
            }
        };
        (output.outcome, output.status, bytes, lent)
    }

    /// The learners of school 1: the case, the school, and eight fields left out.
    fn learners() -> Vec<u8> {
        let mut input = vec![ASK];
        input.extend_from_slice(&1_i32.to_be_bytes());
        input.extend_from_slice(&1_u64.to_be_bytes());
        input.extend_from_slice(&[0; 4]);
        input.extend_from_slice(&0_i32.to_be_bytes());
        input.extend_from_slice(&[0; 4]);
        input
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
    fn every_end_of_the_input_is_an_answer_or_an_error() {
        let engine = school(1);
        let whole = learners();
        for end in 0..whole.len() {
            let (outcome, ..) = called(&engine, &whole[..end]);
            assert_eq!(outcome, 1, "{end} bytes");
        }
        for call in 5..=u8::MAX {
            assert_eq!(called(&engine, &[call]).0, 1);
        }
    }

    #[test]
    fn an_error_is_the_number_of_its_case_and_its_text() {
        let engine = school(1);
        engine.close().unwrap();
        let (outcome, status, bytes, _) = called(&engine, &learners());
        assert_eq!((outcome, status), (1, 0));
        let text = RollbookError::from(rollbook::Error::Closed).to_string();
        assert_eq!(bytes[..4], 5_i32.to_be_bytes());
        assert_eq!(&bytes[8..], text.as_bytes());
    }

    #[test]
    fn a_panic_is_an_outcome() {
        let (outcome, reply) = outcome(|| panic!("{} is odd", 3));
        assert_eq!((outcome, reply.bytes), (2, b"3 is odd".to_vec()));
    }
}
