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
        for (position, entry) in self.entries.iter().enumerate() {
            line(&entry.line, self.value_at(position));
        }
        out
    }
}
