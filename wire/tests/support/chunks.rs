//! Cutting a body the ways the replay server does.

/// The chunkings that every fixture is played under.
pub const MODES: [&str; 10] =
    ["whole", "line", "event", "byte", "split-7", "rand-1", "rand-2", "rand-3", "rand-4", "rand-5"];

pub fn cut<'b>(bytes: &'b [u8], mode: &str) -> Vec<&'b [u8]> {
    let mut cuts = Vec::new();
    match mode.split_once('-') {
        Some(("split", size)) => cuts.extend((0..bytes.len()).step_by(size.parse().unwrap()).skip(1)),
        Some(("rand", seed)) => {
            let mut state: u32 = seed.parse().unwrap();
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                1 + state as usize % 64
            };
            let mut at = next();
            while at < bytes.len() {
                cuts.push(at);
                at += next();
            }
        }
        _ => match mode {
            "whole" => {}
            "byte" => cuts.extend(1..bytes.len()),
            "line" | "event" => line_ends(bytes, mode == "event", &mut cuts),
            other => panic!("unknown chunking {other}"),
        },
    }
    let mut out = Vec::new();
    let mut from = 0;
    for cut in cuts.into_iter().filter(|cut| *cut < bytes.len()) {
        out.push(&bytes[from..cut]);
        from = cut;
    }
    out.push(&bytes[from..]);
    out
}

fn line_ends(bytes: &[u8], blank_only: bool, cuts: &mut Vec<usize>) {
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        if !matches!(bytes[at], b'\n' | b'\r') {
            at += 1;
            continue;
        }
        let crlf = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        let end = at + 1 + usize::from(crlf);
        if !blank_only || at == start {
            cuts.push(end);
        }
        (start, at) = (end, end);
    }
}
