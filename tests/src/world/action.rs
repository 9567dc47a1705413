//! One step of a sequence.

/// A request header: its name and the bytes of its value.
pub type Header = (String, Vec<u8>);

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Applies these lines as one dataset.
    Apply(Vec<String>),
    /// Replaces a school by these lines.
    ReplaceSchool(u64, Vec<String>),
    /// Removes a school.
    RemoveSchool(u64),
    /// Erases a learner of a school: school, learner.
    EraseLearner(u64, u64),
    /// Asks.
    Request {
        /// The clock, in Unix seconds.
        now: i64,
        /// The method.
        method: String,
        /// Path and query string.
        target: String,
        /// Headers in their order.
        headers: Vec<Header>,
        /// The body.
        body: Vec<u8>,
    },
    /// Closes the store and opens it again.
    Reopen,
    /// Compacts the store.
    Compact,
}

impl Action {
    /// The lines of a dataset.
    pub fn lines(&self) -> Option<&[String]> {
        match self {
            Self::Apply(lines) | Self::ReplaceSchool(_, lines) => Some(lines),
            _ => None,
        }
    }

    /// The lines of a dataset.
    pub(super) fn lines_mut(&mut self) -> Option<&mut Vec<String>> {
        match self {
            Self::Apply(lines) | Self::ReplaceSchool(_, lines) => Some(lines),
            _ => None,
        }
    }

    /// The parameters of a request, as they are spelled.
    pub fn parameters(&self) -> Vec<String> {
        let Self::Request { target, .. } = self else {
            return Vec::new();
        };
        match target.split_once('?') {
            Some((_, query)) => query.split('&').map(str::to_owned).collect(),
            None => Vec::new(),
        }
    }

    /// Puts these parameters in place of a request's.
    pub(super) fn set_parameters(&mut self, parameters: &[String]) {
        let Self::Request { target, .. } = self else {
            return;
        };
        if let Some((path, _)) = target.split_once('?') {
            let start = if parameters.is_empty() { "" } else { "?" };
            *target = format!("{path}{start}{}", parameters.join("&"));
        }
    }
}
