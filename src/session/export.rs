//! Files of version 3 (SESSIONS 4.4).

use steersman_wire::json::write_value;

use super::tree::SessionTree;

impl SessionTree {
    /// The header and every entry, one JSON text a line. What was read and not changed is the same text again.
    pub fn export(&self) -> String {
        let mut out = String::new();
        let mut line = |text: &Option<Box<str>>, value| {
            match text {
                Some(text) => out.push_str(text),
                None => write_value(&mut out, value),
            }
            out.push('\n');
        };
        line(&self.header_line, &self.header);
        self.entries.iter().for_each(|entry| line(&entry.line, &entry.value));
        out
    }
}

impl SessionTree {
    /// Appends the entries as a JSON array.
    pub fn write_entries(&self, out: &mut String) {
        out.push('[');
        for (place, entry) in self.entries.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            match &entry.line {
                Some(text) => out.push_str(text),
                None => write_value(out, &entry.value),
            }
        }
        out.push(']');
    }
}
