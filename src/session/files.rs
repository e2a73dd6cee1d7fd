//! Which files the tools of a conversation read and changed (COMPACTION 7).

use steersman_wire::json::{Object, Value};
use steersman_wire::order::sorted_positions;

use super::read::{add, items, set, text, texts};

/// What a tool does with the file that its argument `path` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Looks at it.
    Read,
    /// Changes it.
    Write,
}

/// The access of a tool by its name, where nobody says otherwise.
pub fn by_name(tool: &str) -> Option<Access> {
    match tool {
        "read" => Some(Access::Read),
        "write" | "edit" => Some(Access::Write),
        _ => None,
    }
}

/// Files read and changed, as they come.
#[derive(Debug, Clone, Default)]
pub struct FileOps {
    read: Vec<String>,
    modified: Vec<String>,
}

impl FileOps {
    /// Adds the calls of an assistant message.
    pub fn add_message(&mut self, message: &Value, access: &dyn Fn(&str) -> Option<Access>) {
        if text(message, "role") != "assistant" {
            return;
        }
        for call in items(message, "content") {
            let path = call.get("arguments").map_or("", |arguments| text(arguments, "path"));
            if path.is_empty() || text(call, "type") != "toolCall" {
                continue;
            }
            match access(text(call, "name")) {
                Some(Access::Read) => self.read.push(path.to_owned()),
                Some(Access::Write) => self.modified.push(path.to_owned()),
                None => {}
            }
        }
    }

    /// Adds the lists of an earlier summary, unless the application made it.
    pub fn add_summary(&mut self, entry: &Value) {
        if entry.get("fromHook") == Some(&Value::Bool(true)) {
            return;
        }
        if let Some(details) = entry.get("details") {
            self.read.append(&mut texts(details, "readFiles"));
            self.modified.append(&mut texts(details, "modifiedFiles"));
        }
    }

    /// The two lists, sorted; what was changed is not among what was read.
    pub fn lists(&self) -> FileLists {
        let modified = sorted(&self.modified, &[]);
        FileLists { read: sorted(&self.read, &modified), modified }
    }
}

/// Sorted, each once, without some that are sorted.
fn sorted(paths: &[String], without: &[String]) -> Vec<String> {
    let at = |place: usize| paths.get(place).map_or("", String::as_str);
    let mut out: Vec<String> = Vec::new();
    for place in sorted_positions(paths.len(), &mut |a, b| at(a).cmp(at(b))) {
        let path = at(place);
        let known = out.last().is_some_and(|last| last == path);
        if !known && without.binary_search_by(|one| one.as_str().cmp(path)).is_err() {
            out.push(path.to_owned());
        }
    }
    out
}

/// Files read, and files changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLists {
    /// Read and not changed.
    pub read: Vec<String>,
    /// Changed.
    pub modified: Vec<String>,
}

impl FileLists {
    /// What a summary entry keeps in its `details`.
    pub fn details(&self) -> Value {
        let mut details = Object::new();
        for (key, paths) in [("readFiles", &self.read), ("modifiedFiles", &self.modified)] {
            let mut list = Vec::new();
            for path in paths {
                list.push(path.as_str().into());
            }
            set(&mut details, key, Value::Array(list));
        }
        Value::Object(details)
    }

    /// What is added to a summary: the lists in tags, one path a line.
    pub fn appended(&self) -> String {
        let mut out = String::new();
        for (tag, paths) in [("read-files", &self.read), ("modified-files", &self.modified)] {
            if paths.is_empty() {
                continue;
            }
            add(&mut out, &["\n\n<", tag, ">"]);
            for path in paths {
                add(&mut out, &["\n", path]);
            }
            add(&mut out, &["\n</", tag, ">"]);
        }
        out
    }
}
