//! Random bytes from the system or from the app.

use crate::error::{Error, Result};
use std::sync::Arc;

/// The source of random bytes for the salts of passwords, the key of the digests of passwords that
/// were correct, the key of the cursors of a store, and the numbers that identify the openings of a
/// store.
///
/// The bytes must be different at each opening. If they repeat, a copy that was restored from a
/// backup cannot be distinguished from the original, and its followers miss changes.
///
/// ```
/// use rollbook::Entropy;
/// // In the browser: crypto.getRandomValues. Here: a stand-in for a test.
/// let entropy = Entropy::custom(|bytes| {
///     bytes.fill(7);
///     true
/// });
/// # let _ = entropy;
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Entropy {
    /// The source of the system. WebAssembly in a browser has none, so another source is required
    /// there.
    #[default]
    System,
    /// A function that fills a buffer with random bytes. It returns `false` if it cannot.
    Custom(Arc<Fill>),
}

type Fill = dyn Fn(&mut [u8]) -> bool + Send + Sync;

impl Entropy {
    /// Creates a source from a function that fills a buffer with random bytes. The function
    /// returns `false` if it cannot.
    ///
    /// ```
    /// use rollbook::{Engine, Entropy, Options};
    ///
    /// // A source that fails: nothing opens without random bytes.
    /// let entropy = Entropy::custom(|_| false);
    /// let options = Options { entropy, ..Options::default() };
    /// assert_eq!(Engine::memory(options).unwrap_err().code(), "unsupported");
    /// ```
    pub fn custom(fill: impl Fn(&mut [u8]) -> bool + Send + Sync + 'static) -> Entropy {
        Entropy::Custom(Arc::new(fill))
    }

    pub(crate) fn bytes<const N: usize>(&self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        let filled = match self {
            Entropy::System => system(&mut bytes),
            Entropy::Custom(fill) => fill(&mut bytes),
        };
        if filled {
            Ok(bytes)
        } else {
            Err(Error::unsupported(
                "this platform gave no random bytes: pass an Entropy when opening",
            ))
        }
    }
}

impl std::fmt::Debug for Entropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Entropy::System => "System",
            Entropy::Custom(_) => "Custom",
        })
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn system(bytes: &mut [u8]) -> bool {
    getrandom::fill(bytes).is_ok()
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn system(_: &mut [u8]) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_has_random_bytes_and_a_failing_source_is_an_error() {
        let drawn = Entropy::System.bytes::<16>();
        assert!(drawn.is_ok_and(|bytes| bytes != [0; 16]));
        let refused = Entropy::custom(|_| false).bytes::<16>().err();
        assert_eq!(refused.map(|error| error.code()), Some("unsupported"));
    }
}
