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
        let same = letters.iter().zip(&wanted).take_while(|(left, right)| left == right).count();
        let shorter = letters.len().min(wanted.len());
        let backwards = letters.iter().rev().zip(wanted.iter().rev());
        let end = backwards.take(shorter - same).take_while(|(left, right)| left == right).count();
        match letters.len().max(wanted.len()) - same - end {
            0 => return Some(candidate),
            // Of a short name too little would be left.
            1 | 2 if same + end > 2 => close = close.or(Some(candidate)),
            _ => {}
        }
    }
    close.map(String::as_str)
}

/// `oldText`, `old_text` and `old-text` are the same name to a model.
fn letters(name: &str) -> Vec<u8> {
    let mut letters = Vec::new();
    for byte in name.bytes().filter(|byte| !b"_- ".contains(byte)) {
        letters.push(byte.to_ascii_lowercase());
    }
    letters
}
