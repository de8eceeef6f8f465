"use strict";
(() => {
  const text = document.getElementById("text");
  document.querySelector(".controls").hidden = false;
  document.getElementById("theme").addEventListener("change", (event) => {
    if (event.target.value) document.documentElement.dataset.theme = event.target.value;
    else delete document.documentElement.dataset.theme;
  });
  // The chunk under the pointer, in its column. Marks are collected column by column when first needed.
  const columns = new Map();
  let lit = [];

  function marksOf(column, number) {
    if (!columns.has(column)) {
      const found = new Map();
      for (const mark of text.querySelectorAll(`[data-column="${Number(column)}"] bdi[data-chunk]`)) {
        for (const i of mark.dataset.chunk.split(" ")) {
          if (!found.has(i)) found.set(i, []);
          found.get(i).push(mark);
        }
      }
      columns.set(column, found);
    }
    return columns.get(column).get(number) || [];
  }

  text.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-column]");
    const mark = event.target.closest("[data-chunk]");
    for (const element of lit) element.classList.remove("on");
    lit = cell === null || mark === null ? [] : marksOf(cell.dataset.column, mark.dataset.chunk.split(" ").pop());
    for (const element of lit) element.classList.add("on");
  });
})();
