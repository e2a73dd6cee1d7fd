// A seeded random source: the same seed gives the same choices on every machine.

/** Choices drawn from one seed (splitmix64; the seed is an integer from 0 to 2^53). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = BigInt(seed);
  }

  /** A whole number of 64 bits. */
  #next() {
    this.#state = BigInt.asUintN(64, this.#state + 0x9e3779b97f4a7c15n);
    let z = this.#state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  /** From 0 up to, but not including, `end`. */
  below(end) {
    return Number(this.#next() % BigInt(end));
  }

  /** True once in `of` times. */
  once(of) {
    return this.below(of) === 0;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}
