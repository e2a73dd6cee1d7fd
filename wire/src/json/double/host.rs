//! By the host, where the module runs in one that does it anyway.

use std::cell::Cell;

/// How the host reads and writes doubles: as `Number(text)` and `String(value)` of JavaScript do.
#[derive(Clone, Copy)]
pub struct Host {
    /// The double that a text spells.
    pub read: fn(&str) -> f64,
    /// The fewest digits that read back as a finite double.
    pub write: fn(f64) -> String,
}

thread_local! {
    static HOST: Cell<Option<Host>> = const { Cell::new(None) };
}

/// Sets the host; to be called before any number is read or written.
pub fn set_host(host: Host) {
    HOST.set(Some(host));
}

pub(super) fn write(out: &mut String, value: f64) {
    if let Some(host) = HOST.get() {
        out.push_str(&(host.write)(value));
    }
}

pub(super) fn parse_f64(text: &str) -> f64 {
    HOST.get().map_or(0.0, |host| (host.read)(text))
}

pub(super) fn loose(text: &str) -> f64 {
    parse_f64(text)
}
