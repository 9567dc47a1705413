//! Writes the OpenAPI documents that the packages contain.
#![allow(clippy::unwrap_used)]

use rollbook_tests::openapi::{documents, text};

fn main() {
    for (path, document) in documents() {
        std::fs::write(path, text(&document)).unwrap();
    }
}
