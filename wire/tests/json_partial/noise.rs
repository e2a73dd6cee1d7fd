//! Random documents, and random damage to them.

/// A small generator of repeatable noise (xorshift).
pub struct Noise(pub u64);

impl Noise {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn string(&mut self) -> String {
        let parts = [
            "a",
            "key",
            " ",
            "é",
            "€",
            "😀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u0041",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\ud83d",
            "\\ude00",
            "\\u0000",
            "\u{7f}",
            "\u{2028}",
            "plain text of some length",
        ];
        let count = self.below(5);
        format!("\"{}\"", (0..count).map(|_| self.pick(&parts)).collect::<String>())
    }

    fn value(&mut self, depth: usize) -> String {
        let space = [["", " ", "\n\t"][self.below(3)], ["", " ", "\r"][self.below(3)]];
        let body = match self.below(if depth == 0 { 3 } else { 6 }) {
            0 => self.string(),
            1 => self.pick(&["0", "-1", "12.50", "1e3", "-0.0E-2", "9007199254740993", "123456789"]).to_owned(),
            2 => self.pick(&["true", "false", "null"]).to_owned(),
            3 => {
                let count = self.below(4);
                let items: Vec<_> = (0..count).map(|_| self.value(depth - 1)).collect();
                format!("[{}{}]", items.join(","), if items.is_empty() { space[1] } else { "" })
            }
            _ => self.object(depth),
        };
        format!("{}{body}{}", space[0], space[1])
    }

    pub fn object(&mut self, depth: usize) -> String {
        let count = self.below(5);
        let members: Vec<_> = (0..count)
            .map(|_| {
                let key = match self.below(3) {
                    0 => self.string(),
                    1 => self.pick(&["\"a\"", "\"b\"", "\"__proto__\""]).to_owned(),
                    _ => format!("\"k{}\"", self.below(40)),
                };
                format!("{key}:{}", self.value(depth.saturating_sub(1)))
            })
            .collect();
        format!("{{{}}}", members.join(","))
    }

    /// Deletes, repeats or inserts a character here and there.
    pub fn spoil(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(3) {
            let at = self.below(chars.len().max(1));
            match self.below(3) {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 if at < chars.len() => chars.insert(at, chars[at]),
                _ => {
                    let noise: Vec<char> = "{}[]:,\"\\ \n\u{1}0-.etrufalsn9é\u{a0}".chars().collect();
                    chars.insert(at.min(chars.len()), noise[self.below(noise.len())]);
                }
            }
        }
        chars.into_iter().collect()
    }
}
