//! Repeatable chance, and the damage it does.

/// A generator of repeatable numbers (splitmix64).
pub struct Noise(pub u64);

/// What parsers have special cases for.
const WORDS: [&str; 59] = [
    "\"structured_answer\"",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1e400",
    "9007199254740993",
    "0.1",
    "1E-5",
    "\"\"",
    "\"a\"",
    "[]",
    "{}",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "\u{0}",
    "\u{feff}",
    "\u{2028}",
    "é",
    "😀",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "data:",
    "data: ",
    "event: ",
    "id: ",
    ": ",
    "[DONE]",
    "data: [DONE]\n\n",
    "error: ",
    "retry: 1",
    "\"type\":",
    "\"index\":",
    "\"content\":",
    "\"text\"",
    "\"error\":",
    "\"__proto__\":",
    "\"$ref\":",
    "\"#\"",
    "\"items\":",
    "-1",
    "4294967296",
    "\"id\":",
    "\"role\":",
];

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, or 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % (bound.max(1) as u64)) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of the corpus, changed a few times.
    pub fn input(&mut self, corpus: &[Vec<u8>], most: usize) -> Vec<u8> {
        let mut input = self.pick(corpus).clone();
        for _ in 0..self.below(6) {
            self.change(&mut input, corpus);
            if input.len() > most {
                let from = self.below(input.len() - most);
                input = input[from..from + most].to_vec();
            }
        }
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let end = (at + 1 + self.below(24)).min(input.len());
        match self.below(12) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.below(256) as u8,
            2 => drop(input.drain(at.min(end)..end)),
            3 => {
                let part = input[at.min(end)..end].to_vec();
                let to = self.below(input.len() + 1);
                input.splice(to..to, part);
            }
            4 => {
                let word = self.pick(&WORDS).bytes();
                input.splice(at..at, word);
            }
            5 => {
                let word = self.pick(&WORDS).bytes();
                input.splice(at.min(end)..end, word);
            }
            6 => input.truncate(at),
            7 => {
                // The rest of another one.
                let other = self.pick(corpus);
                let from = self.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            8 => {
                let open = *self.pick(&["[", "{\"a\":", "[[[[{\"\":", "\""]);
                let deep = open.repeat(1 + self.below(700)).into_bytes();
                input.splice(at..at, deep);
            }
            9 => self.swap_events(input),
            _ => self.swap_values(input, corpus),
        }
    }

    /// Repeats, drops or moves what stands between blank lines.
    fn swap_events(&mut self, input: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(input).into_owned();
        let mut events: Vec<&str> = text.split_inclusive("\n\n").collect();
        if events.is_empty() {
            return;
        }
        let (from, to) = (self.below(events.len()), self.below(events.len()));
        match self.below(3) {
            0 => events.swap(from, to),
            1 => drop(events.remove(from)),
            _ => events.insert(to, events[from]),
        }
        *input = events.concat().into_bytes();
    }

    /// Puts another value, of the same text or of another one, in the place of one.
    fn swap_values(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let Some((start, end)) = self.value(input) else { return };
        let new = match self.below(3) {
            0 => self.pick(&WORDS).as_bytes().to_vec(),
            1 => self.value(input).map(|(start, end)| input[start..end].to_vec()).unwrap_or_default(),
            _ => {
                let other = self.pick(corpus);
                self.value(other).map(|(start, end)| other[start..end].to_vec()).unwrap_or_default()
            }
        };
        input.splice(start..end, new);
    }

    /// Where some JSON value, or a name, lies.
    fn value(&mut self, text: &[u8]) -> Option<(usize, usize)> {
        let from = self.below(text.len());
        let start = from + text.get(from..)?.iter().position(|byte| b"\"{[-0123456789tfn".contains(byte))?;
        let rest = &text[start..];
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' if quoted && depth == 0 => return Some((start, start + at + 1)),
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth <= 1 => return Some((start, start + at + usize::from(depth == 1))),
                b'}' | b']' => depth -= 1,
                b',' | b':' | b' ' | b'\n' if depth == 0 => return Some((start, start + at)),
                _ => {}
            }
        }
        Some((start, text.len()))
    }

    /// Cuts bytes into pieces of a random size.
    pub fn pieces<'a>(&mut self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let most = *self.pick(&[1, 3, 20, 300]);
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((1 + self.below(most)).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces
    }
}
