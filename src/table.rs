//! [`Table`]: values under keys that are never reused, on top of [`Slot`].
//!
//! A key handed out once stays unique for the life of the table, so a late answer for something dropped finds nothing
//! instead of a stranger.

use crate::slot::Slot;

/// Values under unique keys.
#[derive(Default)]
pub struct Table<T> {
    places: Slot<Vec<Place<T>>>,
    free: Slot<Vec<u32>>,
}

/// Key of a value in a [`Table`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    index: u32,
    generation: u32,
}

struct Place<T> {
    generation: u32,
    value: Option<T>,
}

impl Key {
    const INDEXES: f64 = 16_777_216.0;

    /// The key as a JS number, exact up to 2^24 places with 2^29 generations each.
    pub fn to_number(self) -> f64 {
        f64::from(self.generation) * Key::INDEXES + f64::from(self.index)
    }

    /// A key from a JS number; anything else gives a key that finds nothing.
    pub fn from_number(number: f64) -> Key {
        if number.is_nan() {
            return Key { index: u32::MAX, generation: u32::MAX };
        }
        let generation = (number / Key::INDEXES).floor();
        Key { index: (number - generation * Key::INDEXES) as u32, generation: generation as u32 }
    }
}

impl<T> Table<T> {
    /// An empty table.
    pub const fn new() -> Self {
        Table { places: Slot::new(Vec::new()), free: Slot::new(Vec::new()) }
    }

    /// Store a value under a new key.
    pub fn insert(&self, value: T) -> Key {
        if let Some(index) = self.free.pop() {
            let generation = self.places.with_at(index as usize, |place| {
                place.value = Some(value);
                place.generation
            });
            if let Some(generation) = generation {
                return Key { index, generation };
            }
            // A free place always exists; the value is gone with the closure only if it did not.
            return Key { index: u32::MAX, generation: u32::MAX };
        }
        let index = self.places.len() as u32;
        self.places.push(Place { generation: 0, value: Some(value) });
        Key { index, generation: 0 }
    }

    /// Take the value out and keep its place, so that [`Table::restore`] can put it back.
    pub fn take(&self, key: Key) -> Option<T> {
        self.places.with_at(key.index as usize, |place| place.of(key)?.take())?
    }

    /// Put a taken value back; gives it back when the key was removed meanwhile.
    pub fn restore(&self, key: Key, value: T) -> Option<T> {
        let mut value = Some(value);
        self.places.with_at(key.index as usize, |place| {
            if let Some(empty) = place.of(key) {
                *empty = value.take();
            }
        });
        value
    }

    /// Forget a key and hand back what was there.
    pub fn remove(&self, key: Key) -> Option<T> {
        let removed = self.places.with_at(key.index as usize, |place| {
            let value = place.of(key)?.take();
            place.generation = place.generation.wrapping_add(1);
            Some(value)
        })??;
        self.free.push(key.index);
        removed
    }
}

impl<T> Place<T> {
    fn of(&mut self, key: Key) -> Option<&mut Option<T>> {
        (self.generation == key.generation).then_some(&mut self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_key_stays_dead_when_its_place_is_used_again() {
        let table = Table::new();
        let old = table.insert("a");
        assert_eq!(table.remove(old), Some("a"));
        let new = table.insert("b");
        assert!(new.index == old.index && new.generation != old.generation);
        assert_eq!(table.take(old), None);
        assert_eq!(table.restore(old, "late"), Some("late"));
        assert_eq!(table.remove(old), None);
        assert_eq!(table.take(Key::from_number(new.to_number())), Some("b"));
        assert_eq!(table.restore(new, "c"), None);
        assert_eq!(table.remove(new), Some("c"));
    }

    #[test]
    fn a_number_that_is_no_key_finds_nothing() {
        let table = Table::new();
        table.insert(1);
        for number in [-1.0, f64::NAN, f64::INFINITY, 5.0, 1e300] {
            assert_eq!(table.take(Key::from_number(number)), None, "{number}");
        }
    }
}
