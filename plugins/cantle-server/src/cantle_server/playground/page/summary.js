// What the chunks are like as a whole: figures, and what was left out.

import { append, counted, make, number } from "./text.js";

const MOST_LISTED = 50;
const EXCERPT = 80;

export function figures(box, { chunks, dropped, unit, characters, milliseconds }) {
  const sizes = chunks.map((chunk) => chunk.size).sort((a, b) => a - b);
  const middle = sizes.length >> 1;
  const median = sizes.length % 2 ? sizes[middle] : (sizes[middle - 1] + sizes[middle]) / 2;
  const lost = dropped.reduce((sum, one) => sum + one.end - one.start, 0);
  const shown = [[chunks.length === 1 ? "chunk" : "chunks", chunks.length]];
  if (sizes.length) shown.push(["smallest", sizes[0]], ["median", median], [`largest, in ${unit}`, sizes.at(-1)]);
  shown.push(["characters", characters], ["left out", lost], ["ms", milliseconds]);
  box.replaceChildren(...shown.map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, number(value)))));
  return sizes.length ? `${counted(sizes.length, "chunk")} of ${number(sizes[0])} to ${number(sizes.at(-1))} ${unit}.`
    : "No chunks.";
}

export function leftOut(details, list, { text, units, dropped, warnings }) {
  const reasons = new Map();
  for (const one of dropped) {
    if (!reasons.has(one.reason)) reasons.set(one.reason, []);
    reasons.get(one.reason).push(one);
  }
  list.replaceChildren();
  for (const [reason, found] of reasons) {
    const total = found.reduce((sum, one) => sum + one.end - one.start, 0);
    const heading = append(make("h3"), reason);
    heading.append(make("small", {}, ` ${counted(found.length, "stretch").replace("stretchs", "stretches")}, ${counted(total, "character")}`));
    const rows = found.slice(0, MOST_LISTED).map(({ start, end }) => {
      const from = units.at(start), to = units.at(end);
      const shown = text.slice(from, Math.min(to, from + EXCERPT)) + (to > from + EXCERPT ? "\u2026" : "");
      return make("li", {}, make("small", {}, `${number(start)}\u2013${number(end)} `), append(make("bdi"), shown));
    });
    if (found.length > MOST_LISTED) rows.push(make("li", {}, `and ${number(found.length - MOST_LISTED)} more`));
    list.append(heading, make("ul", {}, ...rows));
  }
  for (const warning of warnings) list.prepend(append(make("p", { className: "warning" }), warning));
  details.hidden = !dropped.length && !warnings.length;
  details.querySelector("summary").textContent = warnings.length
    ? `Left out, and ${counted(warnings.length, "warning")}` : "Left out";
  if (warnings.length) details.open = true;
}
