"use strict";
const cantle = (() => {
  const parsed = new WeakMap();

  // The numbers of a mark's chunks, which `data-chunk` has as ranges ("3 7-12"): [[3, 3], [7, 12]].
  function ranges(mark) {
    let found = parsed.get(mark);
    if (found === undefined) {
      found = mark.dataset.chunk.split(" ").map((part) => part.split("-").map(Number)).map(([a, b = a]) => [a, b]);
      parsed.set(mark, found);
    }
    return found;
  }

  const holds = (mark, number) => ranges(mark).some(([a, b]) => a <= number && number <= b);
  const last = (mark) => ranges(mark).at(-1)[1];

  function numbers(mark) {
    return ranges(mark).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i));
  }

  // The marks within an element are looked up once; a search through them is quicker than a list a chunk would be.
  const within = new WeakMap();
  function marksOf(key, selector, number) {
    if (!within.has(key)) within.set(key, new Map());
    const known = within.get(key);
    if (!known.has(selector)) known.set(selector, Array.from(key.querySelectorAll(selector)));
    return known.get(selector).filter((mark) => holds(mark, number));
  }

  // Where a key goes from place `at` among `count` numbers of chunks; undefined for other keys.
  function placeFor(event, at, count) {
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[event.key];
    return to === undefined ? to : Math.min(count - 1, Math.max(0, to));
  }

  // One stop for the tab key among the numbers of chunks; from there the arrow keys go on.
  function oneStop(badges) {
    badges.forEach((badge, i) => { badge.tabIndex = i === 0 ? 0 : -1; });
    let stop = badges[0];
    return (badge) => {
      stop.tabIndex = -1;
      stop = badge;
      stop.tabIndex = 0;
    };
  }

  const plainKey = (event) => !(event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented);

  document.querySelector(".controls").hidden = false;
  document.getElementById("theme").addEventListener("change", (event) => {
    if (event.target.value) document.documentElement.dataset.theme = event.target.value;
    else delete document.documentElement.dataset.theme;
  });

  return { last, marksOf, numbers, oneStop, placeFor, plainKey };
})();
