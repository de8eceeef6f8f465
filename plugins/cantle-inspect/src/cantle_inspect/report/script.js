(() => {
  const byId = (id) => document.getElementById(id);
  const text = byId("text"), panel = byId("panel"), about = byId("about"), also = byId("also"), jump = byId("jump");
  const badges = Array.from(text.querySelectorAll("a.n"));
  const count = badges.length;
  let shown = -1;        // the chunk in the panel
  let kept = false;      // whether it stays there when the pointer moves on

  text.parentElement.classList.add("js");
  panel.hidden = false;
  byId("fold").hidden = false;
  const entries = byId("entries");
  entries.classList.add("folded");
  const stopAt = cantle.oneStop(badges);

  function light(number, on) {
    if (number < 0) return;
    for (const mark of cantle.marksOf(text, "bdi[data-chunk]", number)) mark.classList.toggle("on", on);
    const place = byNumber.get(number);
    if (place !== undefined) badges[place].classList.toggle("on", on);
  }

  const byNumber = new Map(badges.map((badge, i) => [Number(badge.textContent), i]));

  function tellOthers(number, holders) {
    also.replaceChildren();
    const others = holders.filter((i) => i !== number);
    if (!others.length) return;
    also.append("This stretch is also in chunk ");
    others.slice(0, 12).forEach((i, k) => {
      if (k) also.append(", ");
      const link = document.createElement("a");
      link.href = "#c" + i;
      link.textContent = String(i);
      also.append(link);
    });
    if (others.length > 12) also.append(" and " + (others.length - 12) + " more");
  }

  function show(number, holders = []) {
    const entry = byId("c" + number);
    if (entry === null) return;
    if (number !== shown) {
      light(shown, false);
      shown = number;
      light(shown, true);
      about.replaceChildren(...Array.from(entry.childNodes, (node) => node.cloneNode(true)));
      panel.scrollTop = 0;
    }
    tellOthers(number, holders);
  }

  function let_go() {
    light(shown, false);
    shown = -1;
    kept = false;
    also.replaceChildren();
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Point at a chunk, or press j.";
    about.replaceChildren(hint);
  }

  function keep(number, holders) {
    kept = true;
    show(number, holders);
  }

  // `from`: what keeps the focus, as a button that was pressed; without it the number of the chunk gets it.
  function go(number, from = null) {
    const place = byNumber.get(number);
    if (place === undefined) return false;
    keep(number);
    const badge = badges[place];
    stopAt(badge);
    if (from === null) badge.focus({ preventScroll: true });
    badge.scrollIntoView({ block: "center" });
    const size = about.querySelector(".size"), why = about.querySelector(".why");
    byId("said").textContent = "Chunk " + number + ". " + (size ? size.textContent + ". " : "") + (why ? why.textContent : "");
    return true;
  }

  const goTo = (place, from) => { if (count) go(Number(badges[place].textContent), from); };

  function step(by, from = null) {
    const at = shown < 0 || !byNumber.has(shown) ? (by > 0 ? -1 : count) : byNumber.get(shown);
    goTo(Math.min(count - 1, Math.max(0, at + by)), from);
  }

  text.addEventListener("pointerover", (event) => {
    if (kept || event.pointerType === "touch") return;
    const mark = event.target.closest("[data-chunk]");
    if (mark !== null) {
      const holders = cantle.numbers(mark);
      show(holders[holders.length - 1], holders);
    } else if (event.target.closest("a.n") !== null) {
      show(Number(event.target.textContent));
    }
  });

  text.addEventListener("click", (event) => {
    const badge = event.target.closest("a.n");
    if (badge !== null) {
      event.preventDefault();
      go(Number(badge.textContent));
      return;
    }
    const mark = event.target.closest("[data-chunk]");
    if (mark === null || String(getSelection())) return;
    const holders = cantle.numbers(mark);
    // Another click on a stretch that several chunks hold goes on to the next of them.
    const at = kept ? holders.indexOf(shown) : -1;
    keep(holders[at < 0 ? holders.length - 1 : (at + holders.length - 1) % holders.length], holders);
  });

  text.addEventListener("focusin", (event) => {
    if (event.target.matches("a.n") && !kept) show(Number(event.target.textContent));
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#panel a, #all a");
    if (link === null) return;
    const number = Number(link.getAttribute("href").slice(2));
    if (go(number)) event.preventDefault();
  });

  byId("previous").addEventListener("click", (event) => step(-1, event.target));
  byId("next").addEventListener("click", (event) => step(1, event.target));
  byId("close").addEventListener("click", let_go);
  byId("fold").addEventListener("click", (event) => {
    const folded = entries.classList.toggle("folded");
    event.target.textContent = folded ? "Show the list" : "Hide the list";
    event.target.setAttribute("aria-expanded", String(!folded));
  });
  jump.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      const wanted = jump.value.trim().replace(/^#/, "");
      const found = /^\d+$/.test(wanted) && go(Number(wanted));
      jump.setAttribute("aria-invalid", String(!found));
      if (found) jump.value = "";
      else byId("said").textContent = count ? "There is no such chunk: they go from 0 to " + (count - 1) + "." : "There are no chunks.";
    } else if (event.key === "Escape") {
      jump.value = "";
      jump.blur();
      event.stopPropagation();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (!cantle.plainKey(event)) return;
    const help = document.querySelector(".help[open]");
    if (event.key === "Escape" && help !== null) {
      if (help.contains(document.activeElement)) help.querySelector("summary").focus();
      help.open = false;
      return;
    }
    if (event.target.matches("input:not([type=checkbox]), select, textarea, summary")) return;
    if (event.key === "Escape") {
      let_go();
      return;
    }
    const onBadge = event.target.matches("a.n");
    const to = onBadge ? cantle.placeFor(event, badges.indexOf(event.target), count) : undefined;
    if (to !== undefined) goTo(to, null);
    else if (!byId("keys").checked) return;
    else if (event.key === "j" || event.key === "ArrowRight") step(1);
    else if (event.key === "k" || event.key === "ArrowLeft") step(-1);
    else if (event.key === "/" || /^\d$/.test(event.key)) {
      jump.value = event.key === "/" ? "" : event.key;
      jump.focus();
    } else return;
    event.preventDefault();
  });

  const wanted = /^#c(\d+)$/.exec(location.hash);
  if (wanted) go(Number(wanted[1]));
})();
