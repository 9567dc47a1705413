//! What else an app could use.
