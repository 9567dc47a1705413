//! The parts of a case.

/// A case: steps that run on an initially empty store.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the file and the name of the case.
    pub name: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step of a case.
#[derive(Debug, Clone)]
pub enum Step {
    /// Applies a dataset.
    Apply(String, Expected),
    /// Checks a dataset without applying it, and expects these faults. The number is the limit of
    /// faults.
    Check(String, usize, Vec<Message>),
    /// Replaces a school by a dataset.
    ReplaceSchool(u64, String, Expected),
    /// Removes a school.
    RemoveSchool(u64, Expected),
    /// Erases a learner of a school.
    EraseLearner(u64, u64, Expected),
    /// Sends a request at an instant, in seconds since 1970-01-01T00:00:00Z.
    Request(i64, Request),
    /// Exports everything except integrators, and expects this text.
    Export(String),
}

impl Step {
    /// Returns the dataset of the step, if it has one.
    pub(super) fn dataset_mut(&mut self) -> Option<&mut String> {
        match self {
            Step::Apply(dataset, _)
            | Step::Check(dataset, ..)
            | Step::ReplaceSchool(_, dataset, _) => Some(dataset),
            _ => None,
        }
    }
}

/// The expected outcome of a change.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The error, if the change is refused.
    pub fault: Option<Message>,
    /// `KIND +A ~C -R .U` for each kind, if the case states them.
    pub counts: Vec<String>,
}

/// The expected text of a fault.
#[derive(Debug, Clone)]
pub enum Message {
    /// The text is exactly this.
    Is(String),
    /// The text begins with this.
    Starts(String),
}

impl Message {
    /// Returns whether a text matches the message.
    pub fn fits(&self, text: &str) -> bool {
        match self {
            Message::Is(whole) => text == whole,
            Message::Starts(start) => text.starts_with(start),
        }
    }
}

/// A request and the expected answer.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method, as it is sent.
    pub method: String,
    /// The path and the query string, as they are sent.
    pub target: String,
    /// All headers, including those of the credentials.
    pub headers: Vec<(String, String)>,
    /// The body of the request.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
    /// The answer's `Allow` header.
    pub allow: Option<String>,
    /// The exact body of the answer.
    pub answer: String,
}
