//! Questions that are observed. There are no threads here: JavaScript polls after each change,
//! and at the instant that is given.

use crate::answer::{Sink, put};
use crate::engine::Engine;
use crate::error::Result;
use crate::question::with;
use rollbook::{Answer, Observed, Question};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// The answers to a question, one after the other, as they change.
#[wasm_bindgen]
pub struct Observation {
    observation: rollbook::Observation,
}

#[wasm_bindgen]
impl Observation {
    /// Hands the answer over, if it is another than the one that was given last; says whether
    /// it is.
    pub fn poll(&mut self, sink: &Sink) -> Result<bool> {
        let Some(given) = self.observation.poll() else {
            return Ok(false);
        };
        let Answer { status, mut body } = given?;
        put(sink, &mut body, |_| Ok(status))?;
        Ok(true)
    }

    /// The instant at which to poll next, whatever is changed until then, in seconds since
    /// 1970-01-01T00:00:00Z.
    #[wasm_bindgen(js_name = nextLook)]
    pub fn next_look(&self) -> Option<i64> {
        self.observation.next_look()
    }

    /// Whether the engine was closed.
    #[wasm_bindgen(js_name = isOver)]
    pub fn is_over(&self) -> bool {
        self.observation.is_over()
    }
}

#[wasm_bindgen]
impl Engine {
    /// Observes a question: the answers of `ask`, or those of `find`.
    pub fn observe(&self, question: String, for_one: bool) -> Result<Observation> {
        with(&question, &|_| Ok(()))?;
        let question = Packed(question);
        let observation = if for_one {
            self.engine.observe_record(question)
        } else {
            self.engine.observe(question)
        };
        Ok(Observation { observation })
    }
}

/// A question as it crossed.
struct Packed(String);

impl Observed for Packed {
    fn with(&self, ask: &mut dyn FnMut(&dyn Question)) {
        let ask = RefCell::new(ask);
        // It could be asked when it was given.
        let _ = with(&self.0, &|question| {
            (ask.borrow_mut())(question);
            Ok(())
        });
    }
}
