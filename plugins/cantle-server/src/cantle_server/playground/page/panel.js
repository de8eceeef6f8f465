// The chunk that is chosen: what there is to know about it, and the way to the next one.

import { copies } from "./copying.js";
import { append, direction, make, number } from "./text.js";

const byId = (id) => document.getElementById(id);

export class Panel {
  constructor(cuts, say) {
    Object.assign(this, { cuts, say, chosen: -1, result: null, drawing: null });
    this.box = byId("panel");
    this.about = byId("about");
    this.heading = byId("h-panel");
    byId("previous").addEventListener("click", () => this.step(-1, false));
    byId("next").addEventListener("click", () => this.step(1, false));
    byId("close").addEventListener("click", () => this.letGo(true));
    const jump = byId("jump");
    jump.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (/^\d+$/.test(jump.value.trim())) this.go(Number(jump.value), false);
    });
    cuts.addEventListener("click", (event) => this.clicked(event));
    cuts.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("keydown", (event) => this.anywhere(event));
  }

  // Another result: what was chosen is let go.
  show(result, drawing) {
    this.letGo();
    Object.assign(this, { result, drawing });
  }

  get count() {
    return this.result === null ? 0 : this.result.chunks.length;
  }

  light(on) {
    if (this.chosen < 0 || this.drawing === null) return;
    for (const mark of this.drawing.marks[this.chosen] ?? []) mark.classList.toggle("on", on);
    const badge = this.drawing.badges[this.chosen];
    badge?.classList.toggle("on", on);
    if (badge) badge.setAttribute("aria-pressed", String(on));
  }

  letGo(toBadge = false) {
    const badge = this.drawing?.badges[this.chosen];
    this.light(false);
    this.chosen = -1;
    this.box.hidden = true;
    document.body.classList.remove("chosen");
    if (toBadge && badge) badge.focus({ preventScroll: true });
  }

  // Choose a chunk; its number gets the focus unless a button of the panel keeps it.
  go(place, focus = true) {
    if (!this.count) return;
    const number_ = Math.min(this.count - 1, Math.max(0, place));
    const badge = this.drawing.until(number_);
    this.light(false);
    this.chosen = number_;
    this.light(true);
    this.fill(this.result.chunks[number_]);
    this.box.hidden = false;
    document.body.classList.add("chosen");
    if (badge === null) return;
    this.stop?.setAttribute("tabindex", "-1");
    this.drawing.badges[0]?.setAttribute("tabindex", "-1");
    badge.tabIndex = 0;
    this.stop = badge;
    if (focus) badge.focus({ preventScroll: true });
    badge.scrollIntoView({ block: "center" });
    this.say(`Chunk ${number_}, ${number(this.result.chunks[number_].size)} ${this.result.unit}.`);
  }

  step(by, focus = true) {
    this.go(this.chosen < 0 ? (by > 0 ? 0 : this.count - 1) : this.chosen + by, focus);
  }

  clicked(event) {
    const badge = event.target.closest("button.n");
    if (badge !== null) {
      this.go(Number(badge.dataset.n));
      return;
    }
    const mark = event.target.closest("[data-chunk]");
    if (mark === null || String(getSelection())) return;
    // The last of the chunks that hold it; another click goes to the one before.
    const ranges = mark.dataset.chunk.split(" ").map((part) => part.split("-").map(Number));
    const last = ranges.at(-1).at(-1), first = ranges[0][0];
    const holds = (n) => ranges.some(([a, b = a]) => a <= n && n <= b);
    let next = last;
    if (holds(this.chosen) && this.chosen > first) {
      next = this.chosen - 1;
      while (!holds(next)) next -= 1;
    }
    this.go(next);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button.n") === null) return;
    const at = Number(event.target.closest("button.n").dataset.n);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: this.count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  anywhere(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && this.chosen >= 0) {
      this.letGo(true);
      return;
    }
    if (!byId("letters").checked || event.target.closest("input, textarea, select")) return;
    if (event.key === "j") this.step(1);
    else if (event.key === "k") this.step(-1);
  }

  fill(chunk) {
    const { unit } = this.result;
    const last = this.count - 1;
    this.heading.replaceChildren(`Chunk ${chunk.index} `, make("small", {}, last ? `of 0 to ${last}` : "and no other"));
    const facts = [["Size", `${number(chunk.size)} ${unit}`], ["Characters", `${number(chunk.start)} to ${number(chunk.end)}`]];
    if (chunk.lines) facts.push(["Lines", `${number(chunk.lines[0])} to ${number(chunk.lines[2])}`]);
    if (chunk.spans) facts.push(["Stretches", chunk.spans.slice(0, 20).map(([a, b]) => `${a}\u2013${b}`).join(", ")
      + (chunk.spans.length > 20 ? ` and ${number(chunk.spans.length - 20)} more` : "")]);
    if (chunk.overlap) facts.push(["Overlap", `${number(chunk.overlap)} characters`]);
    if (chunk.path.length) facts.push(["Path", chunk.path.join(" \u203a ")]);
    if (chunk.oversize) facts.push(["Oversize", "longer than the limit, and not to be cut"]);
    if (chunk.cut) facts.push(["Cut at", [chunk.cut.kind, chunk.cut.detail].filter(Boolean).join(" ")]);
    for (const [name, value] of Object.entries(chunk.metadata)) {
      facts.push([name, typeof value === "string" ? value : JSON.stringify(value), "data"]);
    }
    const list = make("dl", { className: "facts" });
    for (const [name, value, kind = ""] of facts) {
      list.append(append(make("dt", { className: kind }), name), make("dd", {}, append(make("bdi"), value)));
    }
    const text = make("pre", { className: "content", tabIndex: 0 });
    text.setAttribute("role", "group");  // what scrolls has a stop, a role and a name
    text.setAttribute("aria-label", "Text of the chunk");
    text.dir = direction(chunk.content.slice(0, 2000));
    if (chunk.prefix) text.append(append(make("span", { className: "prefix", title: "prefix: not in the document" }), chunk.prefix));
    append(text, chunk.content);
    const button = make("button", { type: "button", id: "copy-chunk" }, "Copy the text");
    copies(button, () => chunk.text, this.say);
    this.about.replaceChildren(list, make("div", { className: "row" }, make("h3", {}, chunk.prefix ? "Text, with its prefix" : "Text"), button), text);
    this.box.scrollTop = 0;
  }
}
