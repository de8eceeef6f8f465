// Texts: positions in code points to positions in JavaScript strings, and characters that cannot be seen.

// Positions of cantle count code points, those of JavaScript strings UTF-16 units. One pass over the text finds the
// characters that take two units; a lone surrogate is one of either.
export function unitsOf(text) {
  const pairs = [];
  let before = 0;
  for (const found of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) {
    pairs.push(found.index - before);
    before += 1;
  }
  const length = text.length - pairs.length;
  const at = (point) => {
    const inside = Math.min(Math.max(point, 0), length);
    let low = 0, high = pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[middle] < inside) low = middle + 1;
      else high = middle;
    }
    return inside + low;
  };
  return { at, length };
}

// What has no shape, acts on the text around it, or draws over its lines: written out as its code point.
const HIDDEN = new RegExp(
  "\\r\\n|[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e"
  + "\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb"
  + "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\p{Cs}]|(?<=\\p{M}{30})\\p{M}", "gu");
const MAYBE = /[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u061b\u2010-\u2027\u2030-\u205f\u4e00-\u9fff]/;

const written = (character) => {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\u27e8U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
};

// Append a text to an element: as text alone, whatever is in it. A character that is written out stands in an element
// of its own, which knows the character: the text itself can be read back from the page.
export function append(element, text) {
  if (!MAYBE.test(text)) {
    element.append(text);
    return element;
  }
  let at = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > at) element.append(text.slice(at, found.index));
    const sign = document.createElement("span");
    sign.className = "sign";
    sign.dataset.codes = Array.from(found[0], (one) => one.codePointAt(0).toString(16)).join(" ");
    sign.textContent = found[0] === "\r\n" ? "\n" : found[0] === "\r" ? "\u240d\n" : written(found[0]);
    element.append(sign);
    at = found.index + found[0].length;
  }
  if (at < text.length) element.append(at ? text.slice(at) : text);
  return element;
}

// A text of our own docs: what stands between backticks is code.
export function documented(element, text) {
  text.split("`").forEach((part, i, all) => {
    element.append(i % 2 && i < all.length - 1 ? make("code", {}, part) : i % 2 ? `\`${part}` : part);
  });
  return element;
}

// The direction of a text: that of its first letter.
export function direction(text) {
  const letter = text.match(/\p{L}/u);
  return letter && /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
    .test(letter[0]) ? "rtl" : "ltr";
}

export const number = (value) => new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format(value);
export const counted = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

// A new element: `make("dd", { className: "r" }, "text", child)`. Texts are texts.
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
