// The page: what is typed becomes a request, the answer is drawn.

import * as api from "./api.js";
import { curlCall, pythonCall } from "./calls.js";
import { copies } from "./copying.js";
import { Drawing } from "./draw.js";
import { Input } from "./input.js";
import { OptionsForm } from "./form.js";
import { Panel } from "./panel.js";
import { figures, leftOut } from "./summary.js";
import { documented, unitsOf } from "./text.js";
import { Token } from "./token.js";

const PAUSE = 350;  // milliseconds after the last key
const DEFAULTS = { markdown: "markdown", html: "html", json: "json", latex: "latex", pdf: "structural-context" };

const byId = (id) => document.getElementById(id);
const cuts = byId("cuts"), alertBox = byId("alert"), strategy = byId("strategy"), results = byId("results");

let known = new Map();   // strategies by name
let lengths = [];
let chosenByHand = false;
let timer = 0;
let request = null;      // the AbortController of the request under way
let drawing = null;

// `waiting` for the last key, `busy` with a request, `drawing`, `done`; `wrong` when a field or the service says so.
function state(word) {
  results.dataset.state = word;
  if (word === "busy") results.setAttribute("aria-busy", "true");
  else results.removeAttribute("aria-busy");
}

// Said aloud by screen readers. The same words again are said again.
function say(words) {
  const status = byId("status");
  status.textContent = "";
  setTimeout(() => { status.textContent = words; });
}

const token = new Token(() => { begin().catch(report); });
const panel = new Panel(cuts, say);
const form = new OptionsForm(byId("options"), byId("raw"), byId("raw-error"), () => soon());
const input = new Input(() => {
  const wanted = DEFAULTS[input.guessed] ?? "recursive";
  if (!chosenByHand && known.has(wanted) && strategy.value !== wanted) {
    strategy.value = wanted;
    showOptions();
  }
  soon();
}, () => {  // the sample is short: in one piece there is nothing to see
  strategy.value = known.has("structural-context") ? "structural-context" : strategy.value;
  showOptions();
  form.give("max_size", "300");
  now();
});

async function begin() {
  const found = await api.strategies(token.value);
  known = new Map(found.strategies.map((one) => [one.name, one]));
  lengths = found.lengthFunctions ?? [];
  const before = strategy.value;
  strategy.replaceChildren(...found.strategies.map(({ name }) => new Option(name)));
  strategy.value = known.has(before) ? before : known.has("recursive") ? "recursive" : strategy.options[0]?.value ?? "";
  showOptions();
  complain("");
  now();
}

function showOptions() {
  const one = known.get(strategy.value);
  byId("summary").replaceChildren();
  documented(byId("summary"), one?.summary ?? "");
  form.show(one?.options ?? {}, lengths);
}

// What would be sent now; null when a field is wrong.
function job() {
  const options = form.values();
  return options === null ? null : { ...input.read(), strategy: strategy.value, options };
}

function soon() {
  clearTimeout(timer);
  state("waiting");
  timer = setTimeout(now, PAUSE);
}

async function now() {
  clearTimeout(timer);
  request?.abort();
  request = null;
  byId("reset").hidden = !form.isChanged;
  if (!known.size) return;
  if (input.isEmpty) {
    clear();
    return;
  }
  const wanted = job();
  if (wanted === null) {
    results.classList.add("stale");
    state("wrong");
    say("A field of the options is wrong.");
    return;
  }
  const mine = request = new AbortController();
  state("busy");
  try {
    const answer = await api.chunk(wanted, token.value, mine.signal);
    if (request === mine) draw(answer);
  } catch (error) {
    if (request === mine) report(error);
  }
}

// Chunk at once; should the service not have told its strategies, ask for them again.
function go() {
  if (known.size) now();
  else begin().catch(report);
}

function clear() {
  drawing?.stop();
  panel.show(null, null);
  for (const id of ["figures", "tools", "dropped"]) byId(id).hidden = true;
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "The chunks are shown here.";
  cuts.replaceChildren(hint);
  complain("");
  state("done");
}

function draw(answer) {
  complain("");
  const units = unitsOf(answer.text);
  const chunks = answer.chunks;
  const result = { ...answer, units, characters: units.length, milliseconds: answer.stats.milliseconds };
  const told = figures(byId("figures"), result);
  leftOut(byId("dropped"), byId("dropped-list"), result);
  byId("figures").hidden = byId("tools").hidden = false;
  drawing?.stop();
  drawing = new Drawing(cuts, { text: answer.text, units, chunks, dropped: answer.dropped });
  panel.show(result, drawing);
  input.isOf(answer);
  say(told);
  const mine = drawing;
  state("drawing");
  mine.finished.then(() => { if (drawing === mine && results.dataset.state === "drawing") state("done"); });
}

function complain(message) {
  alertBox.hidden = !message;
  alertBox.textContent = message;
  results.classList.toggle("stale", Boolean(message));
}

// An error is said above the chunks, and at the field that it is about.
function report(error) {
  if (error.name === "AbortError") return;
  state("wrong");
  if (!(error instanceof api.Failure)) {
    complain("Something went wrong in this page.");
    throw error;
  }
  if (error.status === 401) token.wanted();
  complain(error.message + (error.wait ? ` The service asks for ${error.wait} s of patience.` : ""));
  if (error.status === 422 || error.status === 400) {
    const named = [...form.fields.keys()].map((name) => [error.message.search(new RegExp(`\\b${name}\\b`)), name])
      .filter(([place]) => place >= 0).sort((a, b) => a[0] - b[0])[0];
    if (named) form.complain(named[1], error.message);
  }
}

strategy.addEventListener("change", () => {
  chosenByHand = true;
  showOptions();
  soon();
});
byId("reset").addEventListener("click", () => {
  form.reset();
  strategy.focus();
});
byId("setup").addEventListener("submit", (event) => {
  event.preventDefault();
  go();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  go();
});
document.addEventListener("keydown", (event) => {  // Enter in a field of the options does not send a form twice
  if (event.key === "Enter" && event.target.matches("#options input:not([type=checkbox])")) event.preventDefault();
});
byId("theme").addEventListener("change", (event) => {
  if (event.target.value) document.documentElement.dataset.theme = event.target.value;
  else delete document.documentElement.dataset.theme;
});

const call = (write) => () => {
  const wanted = job();
  return wanted === null ? "" : write(wanted);
};
copies(byId("copy-python"), call(pythonCall), say);
copies(byId("copy-curl"), call(curlCall), say);

begin().catch(report);
