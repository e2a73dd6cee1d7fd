//! Reasoning details: what some hosts send beside the thinking, in pieces, and want back unchanged.

use crate::literal::{clean, Literal};
use crate::source::Source;
use crate::write::Writer;

/// Types of entries, and the member that holds the text of each.
const ENTRIES: [(&str, &str); 3] = [("reasoning.text", "text"), ("reasoning.summary", "summary"), ENCRYPTED];
/// The one whose text nobody can read.
const ENCRYPTED: (&str, &str) = ("reasoning.encrypted", "data");

/// An entry of a delta or of a signature.
struct Detail {
    /// Its type.
    kind: &'static str,
    /// Name and source; the text's source is empty.
    members: Vec<(String, String)>,
    /// Escaped, without quotes.
    text: String,
}

impl Detail {
    /// Reads an entry, and gives the source of its text too. `None` for anything that is no known one in good form.
    fn of<'a>(source: &Source<'a>) -> Option<(Self, Source<'a>)> {
        let kind = source.member("type").string();
        let (kind, text_member) = *ENTRIES.iter().find(|entry| entry.0 == kind)?;
        let mut members = Vec::new();
        for (name, span) in source.members() {
            let value = Source { span };
            let fits = match &*name {
                "id" | "signature" => value.is(b'"') || value.reads("null"),
                "format" => value.is(b'"'),
                "index" => value.number().is_some(),
                _ => true,
            };
            if !fits {
                return None;
            }
            let source = if name == text_member { String::new() } else { clean(span).into_owned() };
            members.push((name.into_owned(), source));
        }
        let text = source.member(text_member);
        let detail = Self { kind, members, text: clean(Literal::of_span(text.span).inner()).into_owned() };
        text.is(b'"').then_some((detail, text))
    }

    /// Joins a later delta of the same entry: of the members that may come late, the first value that says something
    /// stays, and one that says nothing goes.
    fn join(&mut self, delta: Detail) {
        let says = |value: &str| value != "null" && value != "\"\"";
        self.text.push_str(&delta.text);
        self.members.retain(|(name, value)| says(value) || !LATE.contains(&name.as_str()));
        for late in &LATE {
            let known = self.members.iter().any(|(name, _)| name == late);
            let added = delta.members.iter().find(|(name, value)| name == late && says(value));
            if let (false, Some(member)) = (known, added) {
                self.members.push(member.clone());
            }
        }
    }
}

/// The details of one message, put together from their deltas: an entry has the members it first came with, and its
/// text grows.
#[derive(Default)]
pub(super) struct Details {
    entries: Vec<Detail>,
}

/// Members that a later delta of the same entry may add.
const LATE: [&str; 4] = ["signature", "id", "format", "index"];

impl Details {
    /// Adds an entry of a delta if it is a known one. Gives the readable text in it, which is absent where it is
    /// encrypted.
    pub fn add<'a>(&mut self, item: &Source<'a>) -> Option<Source<'a>> {
        let (detail, text) = Detail::of(item)?;
        let encrypted = detail.kind == ENCRYPTED.0;
        match self.entries.last_mut() {
            Some(last) if last.kind == detail.kind && !encrypted => last.join(detail),
            _ => self.entries.push(detail),
        }
        Some(if encrypted { Source::default() } else { text })
    }

    /// The list as JSON text: what the provider wants back, if there is any.
    pub fn signature(&self) -> Option<String> {
        let mut out = Writer::default();
        for entry in &self.entries {
            out.put(if out.len() == 0 { "[{" } else { "{" });
            for (name, source) in &entry.members {
                out.key(name);
                match source.as_str() {
                    "" => out.quoted(&entry.text),
                    // Clean already.
                    source => out.pieces(&[source]),
                };
            }
            out.close();
        }
        out.put("]");
        Some(out.into_text()).filter(|_| !self.entries.is_empty())
    }
}

/// The list of details in the signature of a thinking block, as it goes back; `None` when the signature is no such list.
pub(super) fn replayable(signature: Literal<'_>) -> Option<String> {
    if !signature.inner().starts_with('[') {
        return None;
    }
    let text = signature.text().into_owned();
    let mut known = false;
    for item in Source::whole(&text).items() {
        Detail::of(&item)?;
        known = true;
    }
    known.then_some(text)
}

/// One encrypted entry in the signature of a call, where older versions kept it.
pub(super) fn replayable_entry(signature: Literal<'_>) -> Option<String> {
    if !signature.inner().starts_with('{') {
        return None;
    }
    let text = signature.text().into_owned();
    let entry = Source::whole(&text);
    let (detail, data) = Detail::of(&entry)?;
    let id = entry.member("id");
    let fits = detail.kind == ENCRYPTED.0 && !id.said().is_absent() && !data.said().is_absent();
    fits.then(|| text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(deltas: &[&str]) -> (String, String) {
        let mut details = Details::default();
        let mut shown = String::new();
        for delta in deltas {
            let added = Source { span: delta }.items().filter_map(|item| details.add(&item));
            added.for_each(|text| shown.push_str(&text.string()));
        }
        (details.signature().unwrap_or_default(), shown)
    }

    #[test]
    fn pieces_of_one_entry_are_joined_and_encrypted_ones_kept_apart() {
        let (signature, shown) = merged(&[
            r#"[{"type":"reasoning.text","text":"a\n","format":"","index":0}]"#,
            r#"[{"type":"reasoning.text","text":"b","index":0,"signature":"s","id":null}]"#,
            r#"[{"type":"reasoning.encrypted","data":"x","id":"1"},{"type":"reasoning.encrypted","data":"y"}]"#,
            r#"[{"type":"reasoning.summary","summary":"c"},{"type":"other"},7,{"type":"reasoning.text"}]"#,
        ]);
        assert_eq!(
            signature,
            concat!(
                r#"[{"type":"reasoning.text","text":"a\nb","index":0,"signature":"s"},"#,
                r#"{"type":"reasoning.encrypted","data":"x","id":"1"},{"type":"reasoning.encrypted","data":"y"},"#,
                r#"{"type":"reasoning.summary","summary":"c"}]"#
            )
        );
        assert_eq!(shown, "a\nbc");
    }

    #[test]
    fn only_a_list_of_known_entries_goes_back() {
        let literal = |text: &str| {
            let mut json = String::new();
            crate::json::write_string(&mut json, text);
            json
        };
        for (text, replayed) in [
            (r#"[{"type":"reasoning.text","text":"a"}]"#, true),
            (r#"[{"type":"reasoning.text","text":"a","format":null}]"#, false),
            (r#"[{"type":"reasoning.text","text":"a"},{"type":"x"}]"#, false),
            ("[]", false),
            ("[", false),
            ("reasoning", false),
        ] {
            let json = literal(text);
            assert_eq!(replayable(Literal::of_span(&json)).is_some(), replayed, "{text}");
        }
    }
}
