// Who needs which data. The linker leaves every constant a segment of its own (`--no-merge-data-segments`): what only the
// second module speaks of goes with it, all the rest becomes one segment again.
import { joined, sized, unsigned } from "./wasm-reader.mjs";

/** The compiler may begin a walk so far before or behind what it walks over, in bytes. */
const MARGIN = 16;
/** A hole costs a few bytes: smaller ones stay filled. */
const LEAST = 32;

/**
 * The data sections of both modules. A constant belongs to the second if no number in the code of the first lies in it or
 * near it, and no data of the first that looks like a pointer.
 *
 * @param {{ at: number, bytes: Uint8Array }[]} segments
 * @param {Set<number>} numbers all numbers in the code of the first module
 */
export function shareData(segments, numbers) {
  const sorted = segments.toSorted((a, b) => a.at - b.at);
  const named = [...numbers].sort((a, b) => a - b);
  const kept = new Set(sorted.filter((segment) => isNear(named, segment)));
  const open = [...kept];
  while (open.length > 0) {
    for (const target of pointers(open.pop())) {
      for (const segment of sorted) {
        if (kept.has(segment) || !isNear([target], segment)) continue;
        kept.add(segment);
        open.push(segment);
      }
    }
  }
  const runs = [];
  for (const segment of sorted) {
    const last = runs.at(-1);
    if (last?.keeps === kept.has(segment)) last.end = endOf(segment);
    else runs.push({ keeps: kept.has(segment), at: segment.at, end: endOf(segment) });
  }
  const goes = runs.filter(({ keeps, at, end }) => !keeps && end - at >= LEAST);
  const start = sorted[0].at;
  const image = new Uint8Array(endOf(sorted.at(-1)) - start);
  for (const { at, bytes } of sorted) image.set(bytes, at - start);
  const stays = [];
  let from = start;
  for (const { at, end } of [...goes, { at: start + image.length }]) {
    stays.push({ at: from, end: at });
    from = end;
  }
  const section = (places) =>
    joined([
      unsigned(places.length),
      ...places.flatMap(({ at, end }) => [
        // Active, in the only memory, at a constant address.
        Uint8Array.of(0, 0x41, ...signed(at), 0x0b),
        sized(image.subarray(at - start, end - start)),
      ]),
    ]);
  return { first: section(stays), second: section(goes) };
}

const endOf = ({ at, bytes }) => at + bytes.length;

/** Whether one of the numbers, in order, lies in a segment or near it. */
function isNear(numbers, segment) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < segment.at - MARGIN) low = middle + 1;
    else high = middle;
  }
  return numbers[low] <= endOf(segment) + MARGIN;
}

/** What may be addresses in data: every word in its place. */
function* pointers({ at, bytes }) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = -at & 3; i + 4 <= bytes.length; i += 4) yield view.getUint32(i, true);
}

/** A number that is not negative in signed LEB128. */
function signed(value) {
  const bytes = [];
  for (let left = value; ; left >>>= 7) {
    bytes.push(left > 63 ? (left & 127) | 128 : left);
    if (left <= 63) return bytes;
  }
}
