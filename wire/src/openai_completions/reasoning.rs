//! Reasoning details: what some hosts send beside the thinking, in pieces, and want back unchanged.

use crate::json::{Kind, Reader};
use crate::literal::{clean, Literal};
use crate::read::{self, Read};
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
    text: Literal<'a>,
    members: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Detail<'a> {
    /// `None` for anything that is no known entry in good form.
    fn read(reader: &mut Reader<'a>) -> Read<Option<Self>> {
        let mut members = Vec::new();
        let mut entry = None;
        let mut fits = reader.peek()? == Kind::Object;
        let (mut text, mut summary, mut data) = (None, None, None);
        read::members(reader, |key, reader| {
            let kind = reader.peek()?;
            let span = reader.raw()?;
            let string = (kind == Kind::String).then(|| Literal::of_span(span));
            let absent = kind == Kind::Null;
            match key {
                "type" => entry = string.and_then(|name| Entry::of(&name.text())),
                "text" => text = string,
                "summary" => summary = string,
                "data" => data = string,
                "id" | "signature" => fits &= absent || string.is_some(),
                "format" => fits &= string.is_some(),
                "index" => fits &= kind == Kind::Number,
                _ => {}
            }
            members.push((Cow::Owned(key.to_owned()), span));
            Ok(())
        })?;
        let text = match entry {
            Some(Entry::Text) => text,
            Some(Entry::Summary) => summary,
            Some(Entry::Encrypted) => data,
            None => None,
        };
        let text = entry.zip(text);
        Ok(text.filter(|_| fits).map(|(entry, text)| Self { entry, text, members }))
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

    /// Adds the list of one delta (its source); `show` gets the readable texts in it. True when something was added.
    pub fn add<'a>(&mut self, list: &'a str, mut show: impl FnMut(Literal<'a>)) -> Read<bool> {
        let mut reader = Reader::new(list);
        let mut added = false;
        read::items(&mut reader, |reader| {
            if let Some(detail) = Detail::read(reader)? {
                added = true;
                if detail.entry != Entry::Encrypted {
                    show(detail.text);
                }
                self.merge(&detail);
            }
            Ok(())
        })?;
        Ok(added)
    }

    fn merge(&mut self, detail: &Detail<'_>) {
        let text = clean(detail.text.inner());
        match self.entries.last_mut() {
            Some(last) if last.entry == detail.entry && last.entry != Entry::Encrypted => {
                last.text.push_str(&text);
                for name in LATE {
                    last.add_late(name, detail.member(name));
                }
            }
            _ => {
                let own = |member: &(Cow<'_, str>, &str)| {
                    let is_text = member.0 == detail.entry.text_member();
                    (member.0.clone().into_owned(), if is_text { String::new() } else { clean(member.1).into_owned() })
                };
                let members = detail.members.iter().map(own).collect();
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
                            "" => out.joined(|out| out.push_str(&merged.text)),
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
        let known = self.members.iter().position(|member| member.0 == name);
        let empty = |source: &str| source == "null" || source == "\"\"";
        match (known, value.filter(|value| !empty(value))) {
            (Some(at), value) if self.members.get(at).is_some_and(|member| empty(&member.1)) => match value {
                Some(value) => {
                    if let Some(member) = self.members.get_mut(at) {
                        member.1 = clean(value).into_owned();
                    }
                }
                None => drop(self.members.remove(at)),
            },
            (None, Some(value)) => self.members.push((name.to_owned(), clean(value).into_owned())),
            _ => {}
        }
    }
}

/// The list of details in the signature of a thinking block, as it goes back; `None` when the signature is no such list.
pub(super) fn replayable(signature: Literal<'_>) -> Option<String> {
    if !signature.inner().starts_with('[') {
        return None;
    }
    let text = signature.text().into_owned();
    let (mut known, mut other) = (0, 0);
    let mut reader = Reader::new(&text);
    read::items(&mut reader, |reader| {
        match Detail::read(reader)? {
            Some(_) => known += 1,
            None => other += 1,
        }
        Ok(())
    })
    .ok()?;
    reader.finish().ok()?;
    (known > 0 && other == 0).then_some(text)
}

/// One encrypted entry in the signature of a call, where older versions kept it.
pub(super) fn replayable_entry(signature: Literal<'_>) -> Option<String> {
    if !signature.inner().starts_with('{') {
        return None;
    }
    let text = signature.text().into_owned();
    let mut reader = Reader::new(&text);
    let detail = Detail::read(&mut reader).ok()??;
    reader.finish().ok()?;
    let has_id = detail.member("id").is_some_and(|id| id.len() > 2 && id.starts_with('"'));
    (detail.entry == Entry::Encrypted && has_id && !detail.text.is_empty()).then_some(text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(deltas: &[&str]) -> (String, String) {
        let mut details = Details::default();
        let mut shown = String::new();
        for delta in deltas {
            details.add(delta, |text| shown.push_str(&text.text())).unwrap();
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
