//! Lexical rules of JSON over bytes, shared by the strict reader, the incremental parser, the repair pass and the
//! writer.

/// Length of the longest prefix that may stand in a JSON string as it is: no quote, no backslash, no byte below 0x20.
/// Looks at eight bytes at a time; the result always lies on a character boundary.
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // High bit set in every zero byte of `word`; bytes above the lowest zero may be wrong, which does not matter.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let mut done = 0;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in chunks.by_ref() {
        let Ok(eight) = <[u8; 8]>::try_from(chunk) else {
            break;
        };
        let word = u64::from_le_bytes(eight);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let hits = (zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5c)) | control) & HIGH;
        if hits != 0 {
            return done + (hits.trailing_zeros() / 8) as usize;
        }
        done += 8;
    }
    done + chunks.remainder().iter().take_while(|&&byte| byte >= 0x20 && byte != b'"' && byte != b'\\').count()
}

/// The character a two-character escape stands for: `n` gives a line feed. `u` is not among them.
pub(super) fn simple_escape(letter: u8) -> Option<char> {
    Some(match letter {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// The value of one hexadecimal digit of either case.
pub(super) fn hex_digit(byte: u8) -> Option<u16> {
    char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok())
}

/// The UTF-16 unit that the four hexadecimal digits at the start of `bytes` name.
pub(crate) fn hex_unit(bytes: &[u8]) -> Option<u16> {
    bytes.get(..4)?.iter().try_fold(0, |unit, &byte| Some(unit << 4 | hex_digit(byte)?))
}

/// White space of RFC 8259.
pub(super) fn is_space(byte: u8) -> bool {
    // The first comparison answers for nearly every byte.
    byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Where the number at the start of `bytes` ends. `Err` gives the offset of the first byte that breaks the grammar,
/// which is `bytes.len()` when the text ends too early.
pub(super) fn number_len(bytes: &[u8]) -> Result<usize, usize> {
    let at = |index: usize| bytes.get(index).copied();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            Err(from)
        } else {
            Ok(from + count)
        }
    };
    let start = usize::from(at(0) == Some(b'-'));
    let mut end = if at(start) == Some(b'0') { start + 1 } else { digits(start)? };
    if at(end) == Some(b'.') {
        end = digits(end + 1)?;
    }
    if matches!(at(end), Some(b'e' | b'E')) {
        let signed = matches!(at(end + 1), Some(b'+' | b'-'));
        end = digits(end + 1 + usize::from(signed))?;
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_len_stops_at_every_special_byte_wherever_it_stands() {
        for special in (0..0x20).chain([b'"', b'\\']) {
            for at in 0..40 {
                let mut bytes = "é1\u{7f}x€".repeat(8).into_bytes();
                bytes.truncate(40);
                bytes.insert(at, special);
                assert_eq!(plain_len(&bytes), at, "{special:#x} at {at}");
            }
        }
        assert_eq!(plain_len(&[0xff; 19]), 19);
    }

    #[test]
    fn number_len_takes_the_longest_number_or_names_the_fault() {
        for (text, expected) in [
            ("0", Ok(1)),
            ("-0.5e+10,", Ok(8)),
            ("01", Ok(1)),
            ("12e", Err(3)),
            ("1.", Err(2)),
            ("-", Err(1)),
            ("-x", Err(1)),
            ("1e+", Err(3)),
            (".5", Err(0)),
        ] {
            assert_eq!(number_len(text.as_bytes()), expected, "{text}");
        }
    }
}
