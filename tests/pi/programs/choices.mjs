// What a random program does: every choice has a name, so that a program can be played again with some of its choices
// taken back, and so that what one callback does never depends on when another one is called.

/** Numbers from 0 to below 1 that follow from a text. */
function numberOf(text) {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export class Choices {
  /** Names of the choices that were not the calm ones. */
  wild = new Set();
  #seed;
  #calm;
  #counts = new Map();

  /** @param calm names of choices that are taken back */
  constructor(seed, calm = new Set()) {
    this.#seed = seed;
    this.#calm = calm;
  }

  /** The next name of a place: the first call of a hook and the second are two. */
  name(place) {
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    return `${place}#${count}`;
  }

  /** A number below `bound`. */
  below(name, bound) {
    return Math.floor(numberOf(`${this.#seed} ${name}`) * bound);
  }

  /** Whether something unusual happens: once in `n` times, and never where it was taken back. */
  oneIn(name, n) {
    if (this.below(name, n) > 0 || this.#calm.has(name)) return false;
    this.wild.add(name);
    return true;
  }

  /** One of a list, whose first is the calm one. */
  pick(name, list) {
    const at = this.below(`${name} of`, list.length);
    if (at === 0 || this.#calm.has(name)) return list[0];
    this.wild.add(name);
    return list[at];
  }
}
