(() => {
  const text = document.getElementById("text");
  const inColumn = (column) => `[data-column="${Number(column)}"]`;
  // The chunk under the pointer or the focus, in its column.
  let lit = [];

  function light(column, number) {
    for (const element of lit) element.classList.remove("on");
    lit = number === null ? [] : cantle.marksOf(text, `${inColumn(column)} bdi[data-chunk]`, number);
    for (const element of lit) element.classList.add("on");
  }

  text.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-column]");
    const mark = event.target.closest("[data-chunk]");
    light(cell && cell.dataset.column, cell && mark ? cantle.last(mark) : null);
  });

  for (let column = 0; text.querySelector(inColumn(column)) !== null; column += 1) {
    const badges = Array.from(text.querySelectorAll(`${inColumn(column)} a.n`));
    if (!badges.length) continue;
    const stopAt = cantle.oneStop(badges);
    const place = new Map(badges.map((badge, i) => [badge, i]));
    text.addEventListener("focusin", (event) => {
      if (!place.has(event.target)) return;
      stopAt(event.target);
      light(column, Number(event.target.textContent));
    });
    text.addEventListener("keydown", (event) => {
      if (!place.has(event.target) || !cantle.plainKey(event)) return;
      const to = cantle.placeFor(event, place.get(event.target), badges.length);
      if (to === undefined) return;
      badges[to].focus();
      event.preventDefault();
    });
  }
})();
