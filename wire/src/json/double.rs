//! Doubles from digits and digits from doubles.

#[cfg(all(feature = "host-numbers", target_family = "wasm"))]
mod host;
#[cfg(not(all(feature = "host-numbers", target_family = "wasm")))]
mod own;

#[cfg(all(feature = "host-numbers", target_family = "wasm"))]
use host as way;
#[cfg(all(feature = "host-numbers", target_family = "wasm"))]
pub use host::{set_host, Host};
#[cfg(not(all(feature = "host-numbers", target_family = "wasm")))]
use own as way;

/// The nearest double of a valid JSON number, as `JSON.parse` gives it: beyond the range infinite, below it zero.
pub(crate) fn parse_f64(text: &str) -> f64 {
    // Counts and positions are most of what is read.
    crate::text::number(text).map_or_else(|| way::parse_f64(text), f64::from)
}

/// Appends a double that is finite and not zero: see [`write_f64`](super::number::write_f64).
pub(super) fn write(out: &mut String, value: f64) {
    way::write(out, value);
}

/// What JavaScript's `Number(text)` comes to for text without white space around it: a plus sign, leading zeros, bare
/// points, and integers in base 16, 8 and 2 are fine. NaN for other text.
pub(crate) fn loose(text: &str) -> f64 {
    way::loose(text)
}
