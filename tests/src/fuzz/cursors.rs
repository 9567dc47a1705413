//! Requests with bytes as their cursor.

use super::request::get;
use base64ct::{Base64UrlUnpadded, Encoding};

/// Collections that are walked with two records per page.
const WALKS: [&str; 10] = [
    "/api/v2/adminplus/learners?limit=2",
    "/api/v2/adminplus/learners?limit=2&reverse_order=true&include_parents=1",
    "/api/v2/adminplus/learners?limit=2&status=left&since=2026-01-01",
    "/api/v2/adminplus/learnerabsentees?limit=2&from_date=2026-05-01&to_date=2026-05-31",
    "/api/v2/currplus/learnersubjects?limit=2",
    "/api/v2/currplus/learnersubjectsperterm?limit=2&grade_id=9&reverse_order=true",
    "/api/v2/currplus/learnerassessmentmarks?limit=2&grade_id=9",
    "/api/v2/finplus/debtmanagement/learners?limit=2",
    "/api/v2/finplus/debtmanagement/accountablepersons?limit=1",
    "/api/v2/settings/clientintegrations?limit=1",
];

/// More bytes than any cursor has.
const MAX_BYTES: usize = 112;

/// Continues a walk from a cursor, for a few pages. The first byte selects the walk, the others are
/// the cursor. An engine that is compiled for fuzzing accepts a cursor without a valid signature;
/// other engines refuse all of them.
pub fn cursor(bytes: &[u8]) {
    let Some((walk, bytes)) = bytes.split_first() else {
        return;
    };
    let walk = WALKS[usize::from(*walk) % WALKS.len()];
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let tagged = [bytes, &[0; 16]].concat();
    let mut cursor = Base64UrlUnpadded::encode_string(&tagged);
    for _ in 0..4 {
        let answer = get(&format!("{walk}&cursor={cursor}"));
        let Some((_, next)) = answer.text().split_once("\"next_cursor\":\"") else {
            break;
        };
        next.split('"')
            .next()
            .unwrap_or_default()
            .clone_into(&mut cursor);
    }
}
