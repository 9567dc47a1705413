//! The engine's two doors beside a copy of the answer, where no peer is asked.

use crate::ask::Asked;
use crate::floor::Floor;
use crate::ours::{Requests, Typed};
use crate::peer::Peer;
use crate::timing::{Effort, all, medians, warm};
use anyhow::{Result, bail, ensure};
use rollbook::Engine;
use serde::Serialize;

/// What a question takes.
#[derive(Debug, Clone, Serialize)]
pub struct Doors {
    /// The question.
    pub name: &'static str,
    /// Bytes of an answer in the middle.
    pub bytes: usize,
    /// Median nanoseconds of copying the finished answer.
    pub copy_ns: f64,
    /// Median nanoseconds through the typed door.
    pub typed_ns: f64,
    /// Median nanoseconds of a request.
    pub request_ns: f64,
}

/// Measures a question, asked in several ways, after both doors answered each with the
/// same bytes.
pub fn measure<A: Asked>(
    name: &'static str,
    asks: &[A],
    engine: &Engine,
    effort: Effort,
) -> Result<Doors> {
    ensure!(!asks.is_empty(), "{name}: there is nothing to ask");
    for ask in asks {
        let (mut typed, mut requested) = (Vec::new(), Vec::new());
        ask.typed(engine, &mut typed)?;
        ask.request(engine, &mut requested)?;
        ensure!(typed == requested, "{name}: another answer as a request");
    }
    let copies = Floor::measure(asks, engine)?;
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
    Ok(Doors {
        name,
        bytes,
        copy_ns,
        typed_ns,
        request_ns,
    })
}
