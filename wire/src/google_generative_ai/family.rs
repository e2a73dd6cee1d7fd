//! What a model takes, told by its name: the API has no other word for it.

use crate::text::{around, has};

/// The family of a model.
pub(super) struct Family<'a> {
    /// The id without a path before it.
    name: &'a str,
    /// Whether it is a Gemini model of version 3 or later; `None` for names without a version.
    third: Option<bool>,
}

impl<'a> Family<'a> {
    pub fn of(id: &'a str) -> Self {
        let name = around(id, b'/', true).map_or(id, |parts| parts.1);
        let rest = name.strip_prefix("gemini-").unwrap_or_default();
        let rest = rest.strip_prefix("live-").unwrap_or(rest);
        let digit = |at: usize| rest.as_bytes().get(at).filter(|byte| byte.is_ascii_digit());
        // Names that move on with the versions, and versions of two digits.
        let third = if ["flash-latest", "flash-lite-latest"].contains(&rest) || digit(1).is_some() {
            Some(true)
        } else {
            digit(0).map(|digit| *digit > b'2')
        };
        Self { name, third }
    }

    /// Gemini 3 and later: signatures are demanded, tools can be strict.
    pub fn is_third(&self) -> bool {
        self.third == Some(true)
    }

    /// Calls and results are paired by id.
    pub fn takes_ids(&self) -> bool {
        self.is_third() || self.name.starts_with("claude-") || self.name.starts_with("gpt-oss-")
    }

    /// A tool result may hold images.
    pub fn takes_result_images(&self) -> bool {
        self.third != Some(false)
    }

    pub fn is_gemma_4(&self) -> bool {
        self.name.starts_with("gemma-4")
    }

    pub fn is(&self, part: &str) -> bool {
        has(self.name, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_names() {
        for (id, third) in [
            ("gemini-3-pro-preview", Some(true)),
            ("models/gemini-2.5-flash", Some(false)),
            ("gemini-live-2.5-flash", Some(false)),
            ("gemini-10-x", Some(true)),
            ("gemini-flash-latest", Some(true)),
            ("gemini-pro-vision", None),
            ("gemma-4-31b-it", None),
            ("claude-opus", None),
        ] {
            assert_eq!(Family::of(id).third, third, "{id}");
        }
        assert!(Family::of("gpt-oss-120b").takes_ids() && !Family::of("gemini-2.5-pro").takes_ids());
    }
}
