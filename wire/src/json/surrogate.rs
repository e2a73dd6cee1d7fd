//! Joining the UTF-16 units that `\u` escapes name into characters.

/// Holds a high surrogate back until its other half arrives. A half without its partner becomes U+FFFD.
#[derive(Debug, Clone, Default)]
pub(super) struct Joiner {
    high: Option<u16>,
}

impl Joiner {
    /// A joiner that starts with the half an earlier string of the same block ended with.
    pub(super) fn resume(high: Option<u16>) -> Self {
        Self { high }
    }

    /// The half that still waits; the caller takes it over.
    pub(super) fn take(&mut self) -> Option<u16> {
        self.high.take()
    }

    /// Adds the unit of one `\u` escape.
    pub(super) fn unit(&mut self, out: &mut String, unit: u16) {
        match unit {
            0xd800..=0xdbff => {
                self.flush(out);
                self.high = Some(unit);
            }
            0xdc00..=0xdfff => match self.high.take() {
                Some(high) => {
                    let code = 0x10000 + ((u32::from(high) & 0x3ff) << 10) + (u32::from(unit) & 0x3ff);
                    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                None => out.push(char::REPLACEMENT_CHARACTER),
            },
            _ => {
                self.flush(out);
                out.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    /// Call before anything else than a unit is added, and at the end of the string.
    pub(super) fn flush(&mut self, out: &mut String) {
        if self.high.take().is_some() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}
