//! Direct calls from other languages, for requests and questions that are sent thousands of times
//! a second.
//!
//! A call through uniffi takes ten times as long as most answers: from Python and Kotlin, it clones
//! a handle, and allocates, fills and frees several buffers with a call for each. A direct call is
//! a single call. The package writes the arguments to its own memory, and a small answer is also
//! written to memory of the package.
//!
//! This is the only file with unsafe code that is written by hand, because a C interface passes
//! only addresses. All callers are in this repository, in one file for each language, and must
//! satisfy three conditions:
//!
//! - The address of the engine is that of [`Engine::address`], and the caller has a reference to
//!   the object that returned it until the call has returned.
//! - The input and the output are memory of the caller. The input has the stated length, and the
//!   output that of an [`Output`]. No one else writes to them until the call has returned.
//! - Bytes that were lent in an output are given back before the next call writes to the output,
//!   and are not accessed afterwards. Before the first call, an output consists of zeros.
#![allow(unsafe_code, clippy::cast_possible_truncation)]

use crate::call::{self, INLINE_BYTES, Reply};
use crate::engine::Engine;
use crate::error::Result;
use crate::live_query;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

/// The version of the interface: of [`Output`], of the functions here and of [`call::reply`]. Any
/// change of them must increase it, and the version of each package with it.
const VERSION: u64 = 2;

/// Returns the version, followed by the size of an [`Output`] in the lower 32 bits. A package must
/// check them when it is loaded: if the library belongs to another build, it would write beyond the
/// memory of the package.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rollbook_form() -> u64 {
    (VERSION << 32) | size_of::<Output>() as u64
}

/// Returns the number of listeners that may still run code of the package. The package waits until
/// there are none before its interpreter ends.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rollbook_listeners() -> u64 {
    live_query::listeners()
}

/// Whether a package has claimed this copy of the library.
static IS_CLAIMED: AtomicBool = AtomicBool::new(false);

/// Returns 1 to the first caller and 0 to all others. The library contains one set of functions for
/// calling listeners, which the code of uniffi registers. Two class loaders of a JVM would replace
/// each other's functions. Therefore each of them claims the library before it registers them, and
/// uses another copy of the library if it was claimed already.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rollbook_claim() -> u32 {
    u32::from(!IS_CLAIMED.swap(true, Ordering::Relaxed))
}

/// The memory to which a reply is written.
#[repr(C)]
pub(crate) struct Output {
    head: Head,
    /// The bytes of the reply, if they fit.
    inline: [u8; INLINE_BYTES],
}

/// The description of a reply. Numbers are in the byte order of the machine.
#[repr(C)]
pub(crate) struct Head {
    /// The address of the bytes, if they were lent. They must be given back.
    lent: u64,
    /// The size of the memory that was lent, or 0 if the bytes are in [`Output::inline`].
    capacity: u64,
    /// The number of bytes.
    length: u64,
    /// The status of the answer.
    status: u16,
    /// The length of the text of `Allow` at the end of the bytes.
    allow: u16,
    /// The outcome of the call: 0 for an answer, 1 for an error in the encoding of uniffi, and 2
    /// for the text of a panic.
    outcome: u32,
}

/// Answers a request or a question, encoded in `input` as [`call::reply`] describes.
///
/// # Safety
/// The caller must satisfy the conditions of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_call(
    engine: *const c_void,
    input: *const u8,
    length: usize,
    output: *mut Output,
) {
    // A slice must not be created from either of these, even if it is not read.
    let is_none = input.is_null() || length > isize::MAX.unsigned_abs();
    // SAFETY: the input is valid during the call, and no one writes to it.
    let input = (!is_none).then(|| unsafe { slice::from_raw_parts(input, length) });
    let input = input.unwrap_or_default();
    // SAFETY: the engine and the output are valid during the call, and no one else writes to the
    // output.
    let (engine, output) = unsafe { (&*engine.cast::<Engine>(), &mut *output) };
    let (outcome, reply) = outcome(|| call::reply(engine, input));
    output.put(outcome, reply);
}

/// Does the same as [`rollbook_call`], for the JVM, which can pass addresses only as 64-bit
/// numbers.
///
/// # Safety
/// The caller must satisfy the conditions of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_call_at(
    engine: u64,
    input: u64,
    length: u64,
    output: u64,
) {
    // SAFETY: the caller satisfies the conditions, and the addresses and the length fit `usize`.
    unsafe {
        rollbook_call(
            engine as usize as *const c_void,
            input as usize as *const u8,
            length as usize,
            output as usize as *mut Output,
        );
    }
}

/// Frees the bytes that were lent in an output, if any were. A second call does nothing. This is
/// one function, so that a signal that Python handles in between cannot interrupt it. The head may
/// be a copy, provided that the original is not given back too.
///
/// # Safety
/// The caller must satisfy the conditions of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_give_back(head: *mut Head) {
    // SAFETY: the head is memory of the caller, and was written by a call.
    let head = unsafe { &mut *head };
    let capacity = std::mem::take(&mut head.capacity) as usize;
    if capacity != 0 {
        let lent = head.lent as usize as *mut u8;
        // SAFETY: both belong to a vector that `put` leaked, and were removed from the head.
        drop(unsafe { Vec::from_raw_parts(lent, 0, capacity) });
    }
}

/// Does the same as [`rollbook_give_back`], for the JVM.
///
/// # Safety
/// The caller must satisfy the conditions of this file.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn rollbook_give_back_at(head: u64) {
    // SAFETY: the caller satisfies the conditions, and the address fits `usize`.
    unsafe { rollbook_give_back(head as usize as *mut Head) }
}

/// Makes a call and returns its outcome with the bytes of the reply. A panic does not leave it.
fn outcome(call: impl FnOnce() -> Result<Reply>) -> (u32, Reply) {
    // The data that the engine protects by locks is consistent after a panic, and no other data is
    // shared.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(reply)) => (0, reply),
        Ok(Err(error)) => (1, Reply::new(call::encode_error(error))),
        Err(panic) => (2, Reply::new(panic_message(&*panic).into())),
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
        if let Some(inline) = self.inline.get_mut(..bytes.len()) {
            inline.copy_from_slice(&bytes);
        } else {
            let mut bytes = std::mem::ManuallyDrop::new(bytes);
            self.head.lent = bytes.as_mut_ptr() as usize as u64;
            self.head.capacity = bytes.capacity() as u64;
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
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
            inline: [7; INLINE_BYTES],
        })
    }

    /// Makes a call with pointers and with addresses as numbers, as the packages do. Returns the
    /// outcome, the status, the bytes, and whether they were lent.
    fn called(engine: &Engine, input: &[u8]) -> (u32, u16, Vec<u8>, bool) {
        let mut output = output();
        let engine = engine.address();
        let at = input.as_ptr() as u64;
        // SAFETY: the engine and both buffers outlive the call.
        unsafe { rollbook_call_at(engine, at, input.len() as u64, &raw mut *output as u64) };
        let by_number = found(&mut output);
        let engine = engine as *const c_void;
        // SAFETY: the engine and both buffers outlive the call.
        unsafe { rollbook_call(engine, input.as_ptr(), input.len(), &raw mut *output) };
        assert_eq!(found(&mut output), by_number);
        by_number
    }

    /// Returns the reply in an output, and gives the bytes back if they were lent.
    fn found(output: &mut Output) -> (u32, u16, Vec<u8>, bool) {
        let length = usize::try_from(output.head.length).unwrap();
        let (bytes, lent) = if output.head.capacity == 0 {
            (output.inline[..length].to_vec(), false)
        } else {
            // SAFETY: this many bytes were lent.
            let bytes = unsafe { slice::from_raw_parts(output.head.lent as *const u8, length) };
            (bytes.to_vec(), true)
        };
        for _ in 0..2 {
            // SAFETY: the bytes that were lent are no longer accessed.
            unsafe { rollbook_give_back(&raw mut output.head) };
            assert_eq!(output.head.capacity, 0);
        }
        (output.head.outcome, output.head.status, bytes, lent)
    }

    /// Returns the input of a question for the learners of school 1.
    fn learners() -> Vec<u8> {
        [&[ASK], &*of_school(&[])].concat()
    }

    /// Encodes the question for the learners of these grades, without an instant.
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

    /// Encodes a request with two headers, without a body and without an instant.
    fn request() -> Vec<u8> {
        let mut input = [text(TARGET), text("GET"), count(2).to_vec()].concat();
        for name in ["HTTP-X-USERNAME", "HTTP-X-PASSWORD"] {
            input.extend([text(name), text("demo")].concat());
        }
        [input, text(""), vec![0]].concat()
    }

    /// The position of the number of headers in a request.
    const HEADERS: usize = 4 + TARGET.len() + 4 + 3;

    /// Returns every call with all its arguments, and the positions of the lengths of lists.
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
    fn answers_equal_those_of_the_engine_whether_inline_or_lent() {
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
    fn huge_lists_of_requests_or_headers_allocate_no_memory() {
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
    fn a_missing_or_oversized_input_is_refused() {
        let engine = school(1);
        let engine = std::ptr::from_ref(&*engine).cast();
        let byte = [ASK];
        for (input, length) in [(std::ptr::null(), 9), (byte.as_ptr(), usize::MAX)] {
            let mut output = output();
            // SAFETY: neither is a valid input, and neither is accessed.
            unsafe { rollbook_call(engine, input, length, &raw mut *output) };
            assert_eq!(found(&mut output).0, 1);
        }
    }

    /// The packages contain these numbers too. A change here requires the same change there.
    #[test]
    fn the_form_is_what_the_packages_expect() {
        assert_eq!(rollbook_form(), (2 << 32) + 4128);
        let offsets = [
            std::mem::offset_of!(Head, lent),
            std::mem::offset_of!(Head, capacity),
            std::mem::offset_of!(Head, length),
            std::mem::offset_of!(Head, status),
            std::mem::offset_of!(Head, allow),
            std::mem::offset_of!(Head, outcome),
            std::mem::offset_of!(Output, inline),
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
    fn the_library_is_claimed_once() {
        assert_eq!([rollbook_claim(), rollbook_claim()], [1, 0]);
    }

    #[test]
    fn a_panic_is_an_outcome() {
        let (outcome, reply) = outcome(|| panic!("{} is odd", 3));
        assert_eq!((outcome, reply.bytes), (2, b"3 is odd".to_vec()));
    }
}
