//! "Did you mean": a known name for one that is nearly right.

/// Appends a suggestion to a message, if there is a near name.
pub(super) fn add(message: &mut String, name: &str, known: &mut dyn Iterator<Item = &String>) {
    if let Some(near) = nearest(name, known) {
        message.push_str("; did you mean \"");
        message.push_str(near);
        message.push_str("\"?");
    }
}

/// The first known name that is the same but for case and separators, or else but for at most two neighbouring
/// letters changed, added, dropped or swapped.
pub(super) fn nearest<'n>(name: &str, known: &mut dyn Iterator<Item = &'n String>) -> Option<&'n str> {
    let wanted = letters(name);
    let mut close = None;
    for candidate in known {
        let letters = letters(candidate);
        let (long, short) = (letters.len().max(wanted.len()), letters.len().min(wanted.len()));
        let mut same = 0;
        while same < short && letters.get(same) == wanted.get(same) {
            same += 1;
        }
        let mut end = 0;
        while end < short - same && letters.get(letters.len() - 1 - end) == wanted.get(wanted.len() - 1 - end) {
            end += 1;
        }
        match long - same - end {
            0 => return Some(candidate),
            // Of a short name too little would be left.
            1 | 2 if same + end > 2 => close = close.or(Some(candidate.as_str())),
            _ => {}
        }
    }
    close
}

/// `oldText`, `old_text` and `old-text` are the same name to a model.
fn letters(name: &str) -> Vec<u8> {
    let mut letters = Vec::new();
    for byte in name.bytes() {
        if !matches!(byte, b'_' | b'-' | b' ') {
            letters.push(byte.to_ascii_lowercase());
        }
    }
    letters
}
