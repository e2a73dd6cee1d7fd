//! A small table from pairs of numbers to numbers.

/// Marks a free slot; no pair of two node or value numbers reaches it.
const FREE: u64 = u64::MAX;

/// Open addressing with linear probing, grown at half load. One concrete table instead of several generic maps: the
/// compiled size matters more here than the last nanosecond.
#[derive(Default)]
pub(super) struct Memo {
    slots: Vec<(u64, u32)>,
    used: usize,
}

impl Memo {
    pub fn get(&self, key: u64) -> Option<u32> {
        match self.slots.get(self.slot(key)) {
            Some(&(found, value)) if found == key => Some(value),
            _ => None,
        }
    }

    /// Sets or replaces.
    pub fn set(&mut self, key: u64, value: u32) {
        if self.used * 2 >= self.slots.len() {
            let size = (self.slots.len() * 2).max(16);
            let old = std::mem::replace(&mut self.slots, vec![(FREE, 0); size]);
            for &(key, value) in &old {
                if key != FREE {
                    self.put(key, value);
                }
            }
        }
        if self.put(key, value) {
            self.used += 1;
        }
    }

    /// Whether a free slot was taken.
    fn put(&mut self, key: u64, value: u32) -> bool {
        let slot = self.slot(key);
        self.slots.get_mut(slot).is_some_and(|place| {
            let free = place.0 == FREE;
            *place = (key, value);
            free
        })
    }

    /// The slot that holds `key`, or the free one where it belongs. Half the slots are free, so the walk ends.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        // Fibonacci hashing: the high bits of the product are well mixed.
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        while let Some(&(found, _)) = self.slots.get(slot) {
            if found == key || found == FREE {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// A pair of numbers as one key.
pub(super) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
