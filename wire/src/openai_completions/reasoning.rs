//! Reasoning details: what some hosts send beside the thinking, in pieces, and want back unchanged.

use crate::literal::{clean, Literal};
use crate::source::Source;
use crate::write::Writer;
use std::borrow::Cow;

/// Kinds of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Text,
    Summary,
    Encrypted,
}

impl Entry {
    fn of(kind: &str) -> Option<Self> {
        match kind {
            "reasoning.text" => Some(Entry::Text),
            "reasoning.summary" => Some(Entry::Summary),
            "reasoning.encrypted" => Some(Entry::Encrypted),
            _ => None,
        }
    }

    /// The member that holds its text.
    fn text_member(self) -> &'static str {
        match self {
            Entry::Text => "text",
            Entry::Summary => "summary",
            Entry::Encrypted => "data",
        }
    }
}

/// One entry of a delta or of a signature, checked.
struct Detail<'a> {
    entry: Entry,
    text: Source<'a>,
    members: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Detail<'a> {
    /// `None` for anything that is no known entry in good form.
    fn of(source: Source<'a>) -> Option<Self> {
        let mut members = Vec::new();
        let mut fits = true;
        for (name, span) in source.members() {
            let string = span.starts_with('"');
            fits &= match &*name {
                "id" | "signature" => string || span == "null",
                "format" => string,
                "index" => Source { span }.number().is_some(),
                _ => true,
            };
            members.push((name, span));
        }
        let [kind] = source.pick(&["type"]);
        let entry = Entry::of(&kind.string()).filter(|_| fits)?;
        let [text] = source.pick(&[entry.text_member()]);
        let text = text.only(b'"');
        Some(Self { entry, text, members }).filter(|_| !text.is_absent())
    }

    fn member(&self, name: &str) -> Option<&'a str> {
        self.members.iter().find(|member| member.0 == name).map(|member| member.1)
    }
}

/// The details of one message, put together from their deltas.
#[derive(Default)]
pub(super) struct Details {
    entries: Vec<Merged>,
}

/// An entry with the members it first came with; its text grows.
struct Merged {
    entry: Entry,
    /// Name and source; the text's source is empty.
    members: Vec<(String, String)>,
    /// Escaped, without quotes.
    text: String,
}

/// Members that a later delta of the same entry may add.
const LATE: [&str; 4] = ["signature", "id", "format", "index"];

impl Details {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry of a delta if it is a known one. Gives the readable text in it, which is absent where it is
    /// encrypted.
    pub fn add<'a>(&mut self, item: Source<'a>) -> Option<Source<'a>> {
        let detail = Detail::of(item)?;
        self.merge(&detail);
        Some(if detail.entry == Entry::Encrypted { Source::default() } else { detail.text })
    }

    fn merge(&mut self, detail: &Detail<'_>) {
        let text = clean(Literal::of_span(detail.text.span).inner());
        match self.entries.last_mut() {
            Some(last) if last.entry == detail.entry && last.entry != Entry::Encrypted => {
                last.text.push_str(&text);
                for name in LATE {
                    last.add_late(name, detail.member(name));
                }
            }
            _ => {
                let mut members = Vec::new();
                for (name, source) in &detail.members {
                    let is_text = name == detail.entry.text_member();
                    let source = if is_text { String::new() } else { clean(source).into_owned() };
                    members.push((name.clone().into_owned(), source));
                }
                self.entries.push(Merged { entry: detail.entry, members, text: text.into_owned() });
            }
        }
    }

    /// The list as JSON text: what the provider wants back.
    pub fn signature(&self) -> String {
        let mut out = Writer::default();
        out.array(|out| {
            for merged in &self.entries {
                out.object(|out| {
                    for (name, source) in &merged.members {
                        out.key(name);
                        match source.as_str() {
                            "" => drop(out.quoted(&merged.text)),
                            source => out.raw(source),
                        }
                    }
                });
            }
        });
        out.into_text()
    }
}

impl Merged {
    /// The first value that says something stays; one that says nothing goes once there is another delta.
    fn add_late(&mut self, name: &str, value: Option<&str>) {
        let empty = |source: &str| source == "null" || source == "\"\"";
        let value = value.filter(|value| !empty(value)).map(|value| clean(value).into_owned());
        match (self.members.iter_mut().find(|member| member.0 == name), value) {
            (Some(known), _) if !empty(&known.1) => {}
            (Some(known), Some(value)) => known.1 = value,
            (Some(_), None) => self.members.retain(|member| member.0 != name),
            (None, Some(value)) => self.members.push((name.to_owned(), value)),
            (None, None) => {}
        }
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
        Detail::of(item)?;
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
    let detail = Detail::of(entry)?;
    let [id] = entry.pick(&["id"]);
    let fits = detail.entry == Entry::Encrypted && !id.said().is_absent() && !detail.text.said().is_absent();
    fits.then_some(text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(deltas: &[&str]) -> (String, String) {
        let mut details = Details::default();
        let mut shown = String::new();
        for delta in deltas {
            let added = Source { span: delta }.items().filter_map(|item| details.add(item));
            added.for_each(|text| shown.push_str(&text.string()));
        }
        (details.signature(), shown)
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
