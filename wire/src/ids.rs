//! Tool-call ids in the forms that providers take.

/// `id` with everything replaced that is no ASCII letter, no digit and none of `marks`; ASCII only.
pub(crate) fn cleaned(id: &str, marks: &[u8]) -> String {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || marks.contains(&byte);
    let starts = id.bytes().filter(|byte| byte & 0xc0 != 0x80);
    starts.map(|byte| if fits(byte) { char::from(byte) } else { '_' }).collect()
}

/// Eight digits that depend on all of `text` (FNV-1a).
pub(crate) fn hash(text: &str) -> String {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let value = text.bytes().fold(0x811c_9dc5, mix);
    (0..8).rev().filter_map(|digit| char::from_digit(value >> (digit * 4) & 0xf, 16)).collect()
}
