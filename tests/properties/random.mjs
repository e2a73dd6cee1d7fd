// Random choices from a seed: the same numbers as random.rs, so that a seed means the same source on both shells.

const MASK = (1n << 64n) - 1n;

/** SplitMix64. A seed is a whole number from 0 to 2^53. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = ((BigInt(seed) * 0x9e3779b97f4a7c15n) & MASK) ^ 0x5851f42d4c957f2dn;
  }

  #next() {
    this.#state = (this.#state + 0x9e3779b97f4a7c15n) & MASK;
    let mixed = this.#state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return mixed ^ (mixed >> 31n);
  }

  /** A number below `bound`. */
  below(bound) {
    return Number(this.#next() % BigInt(Math.max(1, bound)));
  }

  /** True once in `n` times. */
  oneIn(n) {
    return this.below(n) === 0;
  }

  /** One of a list. */
  pick(list) {
    return list[this.below(list.length)];
  }
}
