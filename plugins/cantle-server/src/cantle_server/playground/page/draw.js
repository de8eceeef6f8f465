// Draws a text with its chunks, block after block; the browser stays free in between.

import { append, direction, make } from "./text.js";
import { countOf, lastOf, stretches, worded, written } from "./stretches.js";

const BLOCK = 1500;        // characters of a block, at least: what the browser lays out at once
const MOST = 12_000;       // a block without a line end is ended by a stretch after so many
const MOST_OF_PREFIX = 300;
const SLICE = 12;          // milliseconds of work before others may go on
const SIGNS = { "\n": "\u21b5", "\t": "\u21e5", "\r": "\u240d" };

export class Drawing {
  // Fills `box`. `text` is the document, `units` what `unitsOf` gives for it.
  constructor(box, { text, units, chunks, dropped }) {
    Object.assign(this, { box, text, units, chunks });
    this.marks = chunks.map(() => []);    // the elements that show a chunk
    this.badges = chunks.map(() => null);
    this.steps = this.blocks(stretches(chunks, dropped, units.length));
    this.drawn = -1;                      // the last chunk whose number is there
    this.done = false;
    this.stopped = false;
    box.replaceChildren();
    this.finished = new Promise((resolve) => { this.resolve = resolve; });
    this.work();
  }

  stop() {
    this.stopped = true;
  }

  work() {
    const start = performance.now();
    while (!this.done && !this.stopped && performance.now() - start < SLICE) this.step();
    if (!this.done && !this.stopped) setTimeout(() => this.work());
  }

  step() {
    const next = this.steps.next();
    if (next.done) {
      this.done = true;
      this.resolve();
    } else this.box.append(next.value);
  }

  // Draw on until the chunk is there, whatever that takes.
  until(number) {
    while (!this.done && this.badges[number] === null) this.step();
    return this.badges[number];
  }

  * blocks(all) {
    let block = this.block(), size = 0, from = 0;
    const finish = (end) => {
      block.dir = direction(this.text.slice(from, end).slice(0, 2000));
      const result = block;
      block = this.block();
      size = 0;
      from = end;
      return result;
    };
    this.held = "";
    this.reason = null;
    for (const stretch of all) {
      const start = this.units.at(stretch.start), end = this.units.at(stretch.end);
      this.opening(block, stretch, start === end);
      let at = start;
      while (at < end) {
        // A block ends behind a line end, or else, when it is long, at the end of a stretch.
        const line = this.text.indexOf("\n", Math.max(at, at + BLOCK - size - 1));
        const stop = line >= 0 && line + 1 <= end ? line + 1 : end;
        this.piece(block, stretch, at, stop, at === start, stop === end);
        size += stop - at;
        at = stop;
        if ((size >= BLOCK && this.text[stop - 1] === "\n") || size >= MOST) yield finish(stop);
      }
    }
    if (block.hasChildNodes()) yield finish(this.text.length);
  }

  block() {
    return make("div", { className: "t" });
  }

  opening(block, stretch, empty) {
    for (const i of stretch.opens) {
      const prefix = this.chunks[i].prefix.trim();
      if (prefix) {
        const shown = prefix.length > MOST_OF_PREFIX ? `${prefix.slice(0, MOST_OF_PREFIX)}\u2026` : prefix;
        const label = make("span", { className: "l" }, `prefix of ${i}, not in the document`);
        block.append(make("span", { className: "p" }, label, append(make("bdi"), shown)));
      }
      const badge = make("button", { type: "button", className: `n ${i % 2 ? "b" : "a"}`, tabIndex: i ? -1 : 0 }, String(i));
      badge.dataset.n = i;
      badge.setAttribute("aria-label", `Chunk ${i}`);
      this.badges[i] = badge;
      block.append(badge);
      if (empty) this.marks[i].push(badge);
    }
  }

  piece(block, stretch, start, end, isFirst, isLast) {
    const text = this.text.slice(start, end);
    if (stretch.holders.length) this.mark(block, stretch, text, isFirst, isLast);
    else if (/^\s*$/.test(text)) {
      const signs = Array.from(text.slice(0, 8).replaceAll("\r\n", "\n"), (one) => SIGNS[one] ?? "\u00b7").join("");
      const sign = make("span", { className: "w" }, signs + (text.length > 8 ? "\u2026" : ""));
      sign.setAttribute("aria-hidden", "true");
      block.append(sign);
      append(block, text);
    } else if (stretch.reason === null) {
      block.append(make("span", { className: "l x" }, "in no chunk, for no reason given"));
      block.append(make("span", { className: "x" }, append(make("bdi"), text)));
    } else {
      if (stretch.reason !== this.reason || text.length > 400) {
        block.append(append(make("span", { className: "l" }, "left out: "), stretch.reason));
      }
      this.reason = stretch.reason;
      block.append(make("del", {}, append(make("bdi"), text)));
    }
  }

  mark(block, stretch, text, isFirst, isLast) {
    const { holders } = stretch;
    const numbers = written(holders), shared = countOf(holders) > 1;
    if (shared && numbers !== this.held) {
      block.append(make("span", { className: "l" }, `in ${worded(holders)}`));
      this.held = numbers;
    }
    const kinds = ["m", lastOf(holders) % 2 ? "b" : "a"];
    if (shared) kinds.push("o");
    if (isFirst && stretch.opens.length) kinds.push("s");
    if (isLast && stretch.closes.length) kinds.push("e");
    const mark = append(make("bdi", { className: kinds.join(" ") }), text);
    mark.dataset.chunk = numbers;
    for (const [a, b] of holders) for (let i = a; i <= b; i += 1) this.marks[i].push(mark);
    block.append(mark);
  }
}
