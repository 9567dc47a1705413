//! Compares the engine's two interfaces with a copy of the answer, for questions that the peers do
//! not answer.

use crate::ask::Asked;
use crate::copy_baseline::CopyBaseline;
use crate::ours::{Requests, Typed};
use crate::peer::Peer;
use crate::timing::{Effort, all, medians, warm};
use anyhow::{Result, bail, ensure};
use rollbook::Engine;
use serde::Serialize;

/// The times of a question.
#[derive(Debug, Clone, Serialize)]
pub struct InterfaceTimes {
    /// The question.
    pub name: &'static str,
    /// The median size of an answer in bytes.
    pub bytes: usize,
    /// The median time of copying the finished answer, in nanoseconds.
    pub copy_ns: f64,
    /// The median time of a typed question in nanoseconds.
    pub typed_ns: f64,
    /// The median time of a request in nanoseconds.
    pub request_ns: f64,
}

/// Measures a question with several asks, after checking that both interfaces answer each with the
/// same bytes.
pub fn measure<A: Asked>(
    name: &'static str,
    asks: &[A],
    engine: &Engine,
    effort: Effort,
) -> Result<InterfaceTimes> {
    ensure!(!asks.is_empty(), "{name}: there is nothing to ask");
    for ask in asks {
        let (mut typed, mut requested) = (Vec::new(), Vec::new());
        ask.typed(engine, &mut typed)?;
        ask.request(engine, &mut requested)?;
        ensure!(typed == requested, "{name}: another answer as a request");
    }
    let copies = CopyBaseline::collect(asks, engine)?;
    let bytes = copies.bytes();
    let mut compared: Vec<Box<dyn Peer<A> + '_>> = vec![
        Box::new(Typed(engine)),
        Box::new(Requests(engine)),
        Box::new(copies),
    ];
    let times = medians(&mut compared, all(asks), warm, effort)?;
    let [typed_ns, request_ns, copy_ns] = *times else {
        bail!("{name}: not all were measured");
    };
    Ok(InterfaceTimes {
        name,
        bytes,
        copy_ns,
        typed_ns,
        request_ns,
    })
}
