//! What a case consists of.

/// A case: steps on a store that is empty at first.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file's name and the case's.
    pub name: String,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// One step of a case.
#[derive(Debug, Clone)]
pub enum Step {
    /// A dataset is applied.
    Apply(String, Expected),
    /// A dataset is looked at, for so many faults.
    Check(String, usize, Vec<Message>),
    /// A dataset replaces a school.
    ReplaceSchool(u64, String, Expected),
    /// A school is removed.
    RemoveSchool(u64, Expected),
    /// A learner of a school is erased.
    EraseLearner(u64, u64, Expected),
    /// A request, at an instant in seconds since 1970-01-01T00:00:00Z.
    Request(i64, Request),
    /// Everything but integrators is exported, and is this.
    Export(String),
}

impl Step {
    /// What is applied or looked at.
    pub(super) fn dataset_mut(&mut self) -> Option<&mut String> {
        match self {
            Step::Apply(dataset, _)
            | Step::Check(dataset, ..)
            | Step::ReplaceSchool(_, dataset, _) => Some(dataset),
            _ => None,
        }
    }
}

/// What comes of a change.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The refusal, if it is refused.
    pub fault: Option<Message>,
    /// `KIND +A ~C -R .U` for each kind, if they are given.
    pub counts: Vec<String>,
}

/// The text of a fault.
#[derive(Debug, Clone)]
pub enum Message {
    /// Exactly this.
    Is(String),
    /// It begins so.
    Starts(String),
}

impl Message {
    /// Whether a text is the message.
    pub fn fits(&self, text: &str) -> bool {
        match self {
            Message::Is(whole) => text == whole,
            Message::Starts(start) => text.starts_with(start),
        }
    }
}

/// A request and its answer.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method, as it is sent.
    pub method: String,
    /// Path and query string, as they are sent.
    pub target: String,
    /// All headers, those of the credentials included.
    pub headers: Vec<(String, String)>,
    /// The body that is sent.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
    /// The answer's `Allow` header.
    pub allow: Option<String>,
    /// The exact body of the answer.
    pub answer: String,
}
