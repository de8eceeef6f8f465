// A text cut wherever the set of chunks that hold it changes. Positions are code points.

// The stretches of the document that a chunk is made of.
export const spansOf = (chunk) => chunk.spans ?? [[chunk.start, chunk.end]];

// Ascending numbers as ranges: [[3, 3], [7, 12]].
function rangesOf(numbers) {
  const ranges = [];
  for (const one of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === one - 1) last[1] = one;
    else ranges.push([one, one]);
  }
  return ranges;
}

function push(map, key, value) {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else found.push(value);
}

// `{start, end, holders, reason, opens, closes}` for all of the text from 0 to `length`, in order. `holders` are ranges
// of the numbers of chunks; those in `opens` begin with the stretch, those in `closes` end with it: at their own start
// and end, which leave out what is repeated from far before. `dropped` are `{start, end, reason}`.
export function* stretches(chunks, dropped, length) {
  const marks = new Map(), opens = new Map(), closes = new Map(), reasons = new Map();
  chunks.forEach((chunk, i) => {
    const inside = [];
    for (const span of spansOf(chunk)) {
      const start = Math.max(span[0], 0), end = Math.min(span[1], length);
      if (start < end) inside.push([start, end]);
    }
    for (const [start, end] of inside) {
      push(marks, start, [i, 1]);
      push(marks, end, [i, -1]);
    }
    if (inside.length) {
      let first = Infinity, last = -1;
      for (const [start, end] of inside) {
        first = first === chunk.start || start === chunk.start ? chunk.start : Math.min(first, start);
        last = last === chunk.end || end === chunk.end ? chunk.end : Math.max(last, end);
      }
      push(opens, first, i);
      push(closes, last, i);
    } else if (chunk.start >= 0 && chunk.start <= length) push(opens, chunk.start, i);
  });
  for (const { start, end, reason } of dropped) {
    if (start >= length) continue;
    if (!reasons.has(Math.min(end, length))) reasons.set(Math.min(end, length), null);
    reasons.set(start, reason);
  }
  const places = [...new Set([0, length, ...marks.keys(), ...opens.keys(), ...reasons.keys()])].sort((a, b) => a - b);
  const held = new Map();
  let reason = null, holders = [];
  for (let k = 0; k < places.length; k += 1) {
    const start = places[k], end = places[k + 1] ?? length;
    const changes = marks.get(start);
    if (changes !== undefined) {
      for (const [i, step] of changes) {
        const count = (held.get(i) ?? 0) + step;
        if (count) held.set(i, count);
        else held.delete(i);
      }
      holders = rangesOf([...held.keys()].sort((a, b) => a - b));
    }
    if (reasons.has(start)) reason = reasons.get(start);
    const beginning = opens.get(start) ?? [];
    if (start < end || beginning.length) {
      yield { start, end, holders, reason, opens: beginning, closes: start < end ? closes.get(end) ?? [] : [] };
    }
  }
}

export const countOf = (ranges) => ranges.reduce((sum, [a, b]) => sum + b - a + 1, 0);
export const lastOf = (ranges) => ranges[ranges.length - 1][1];
export const written = (ranges) => ranges.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(" ");

// Numbers in words: "3 and 4", "3 to 8", "1, 4, 9 and 12 more".
export function worded(ranges, most = 6) {
  const count = countOf(ranges);
  if (ranges.length === 1 && count > 2) return `${ranges[0][0]} to ${ranges[0][1]}`;
  const numbers = [];
  for (const [a, b] of ranges) for (let i = a; i <= b && numbers.length < most; i += 1) numbers.push(i);
  if (numbers.length < count) return `${numbers.join(", ")} and ${count - numbers.length} more`;
  return numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}
