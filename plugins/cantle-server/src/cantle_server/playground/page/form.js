// The form of a strategy's options, made from their schema.

import { control, hint, parsed, same, typed, valueOf } from "./schema.js";
import { documented, make } from "./text.js";

const FIRST = ["max_size", "overlap", "length_function"];
const START = { max_size: 1000 };  // what a needed option without a default begins with

export class OptionsForm {
  // `box` is filled with fields; `changed()` is called when a value is. `raw` is the field for JSON, `rawError` its error.
  constructor(box, raw, rawError, changed) {
    Object.assign(this, { box, raw, rawError, changed });
    this.fields = new Map();
    this.given = new Map();  // what was typed, by name: another strategy with the same option keeps it
    raw.addEventListener("input", () => this.changed());
  }

  show(schema, lengths) {
    this.fields.clear();
    const required = schema.required ?? [];
    const names = Object.keys(schema.properties ?? {})
      .filter((name) => !schema.properties[name]["x-unused"] && schema.properties[name].type !== "null");
    const rank = (name) => (required.includes(name) ? -1 : FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
    names.sort((a, b) => rank(a) - rank(b));
    const rows = names.map((name) => this.field(name, schema.properties[name], required.includes(name), lengths));
    this.box.replaceChildren(...rows.map((field) => field.row));
    const python = schema["x-python-only"];
    if (python?.length) this.box.append(make("p", { className: "note" }, `From Python alone: ${python.join(", ")}.`));
    if (!names.length) this.box.append(make("p", { className: "note" }, "This strategy has none."));
  }

  field(name, form, required, lengths) {
    const how = control(name === "length_function" && !form.examples ? { ...form, examples: lengths } : form);
    const field = { name, form, how, required, fallback: form.default };
    const id = `option-${name}`;
    const input = this.input(field, id);
    const about = [form.description ?? "", form["x-unit"] ? `In ${form["x-unit"]}.` : "", hint(how, form.default)];
    const help = documented(make("p", { className: "note", id: `${id}-note` }), about.filter(Boolean).join(" "));
    const error = make("p", { className: "error", id: `${id}-error`, hidden: true });
    input.setAttribute("aria-describedby", `${help.id} ${error.id}`);
    const label = make("label", { htmlFor: id }, name);
    if (required) label.append(make("small", {}, " needed"));
    const row = make("div", { className: how.kind === "flag" ? "field flag" : "field" });
    row.append(...(how.kind === "flag" ? [input, label] : [label, input]), help, error);
    if (how.names) {
      const list = make("datalist", { id: `${id}-list` }, ...how.names.map((one) => make("option", { value: one })));
      input.setAttribute("list", list.id);
      row.append(list);
    }
    Object.assign(field, { input, row, error });
    this.fields.set(name, field);
    this.restore(field);
    input.addEventListener(how.kind === "flag" || how.kind === "choice" ? "change" : "input", () => this.edited(field));
    return field;
  }

  input(field, id) {
    const { how, fallback } = field;
    if (how.kind === "flag") return make("input", { id, type: "checkbox" });
    if (how.kind === "choice") {
      const select = make("select", { id });
      if (fallback === undefined && !how.values.includes(undefined)) select.append(make("option", { value: "" }, "(default)"));
      how.values.forEach((value, i) => {
        const words = value === null ? "none" : String(value);
        select.append(make("option", { value: String(i) }, same(value, fallback) ? `${words} (default)` : words));
      });
      return select;
    }
    const long = how.kind === "list" || how.kind === "json";
    const input = make(long ? "textarea" : "input", { id, spellcheck: false, autocomplete: "off" });
    if (long) input.rows = 1;
    if (how.kind === "number") {
      input.inputMode = how.pair ? "text" : "decimal";
      input.addEventListener("keydown", nudge);
    }
    if (fallback !== undefined) input.placeholder = typed(how, fallback);
    return input;
  }

  restore(field) {
    const { name, how, fallback, input } = field;
    const kept = this.given.get(name);
    const value = kept !== undefined && kept.kind === how.kind ? kept.value : undefined;
    if (how.kind === "flag") input.checked = value ?? fallback === true;
    else if (how.kind === "choice") {
      const place = how.values.findIndex((one) => same(one, value === undefined ? fallback : value));
      input.value = place < 0 ? input.options[0].value : String(place);
    } else input.value = value ?? (field.required && START[name] !== undefined ? String(START[name]) : "");
    this.mark(field);
  }

  edited(field) {
    const { name, how, input } = field;
    const value = how.kind === "flag" ? input.checked : how.kind === "choice" ? how.values[Number(input.value || -1)] : input.value;
    if (value === "" || value === undefined) this.given.delete(name);
    else this.given.set(name, { kind: how.kind, value });
    this.complain(name, "");
    this.mark(field);
    this.changed();
  }

  // The value of a field when it is not the default; undefined when it is.
  read({ how, input, fallback, required }) {
    let value;
    if (how.kind === "flag") value = input.checked;
    else if (how.kind === "choice") value = input.value === "" ? undefined : how.values[Number(input.value)];
    else value = valueOf(how, input.value, fallback);
    if (value === undefined && required) throw new Error("This strategy needs a value here.");
    if (how.kind === "flag" && fallback === undefined) return value || undefined;
    return fallback !== undefined && same(value, fallback) ? undefined : value;
  }

  mark(field) {
    let changed = true;
    try { changed = this.read(field) !== undefined; } catch { /* wrong is changed too */ }
    field.row.classList.toggle("changed", changed);
  }

  // The options that differ from their defaults; null when a field has no value that could be sent, which it then says.
  values() {
    const found = Object.create(null);  // any name is an option's, "__proto__" too
    let good = true;
    for (const [name, field] of this.fields) {
      try {
        const value = this.read(field);
        if (value !== undefined) found[name] = value;
        this.complain(name, "");
      } catch (error) {
        this.complain(name, error.message);
        good = false;
      }
    }
    say(this.raw, this.rawError, "");
    if (this.raw.value.trim()) {
      try {
        const more = parsed(this.raw.value);
        if (more === null || typeof more !== "object" || Array.isArray(more)) throw new Error('Write an object: {"max_size": 300}.');
        for (const [name, value] of Object.entries(more)) found[this.nameOf(name)] = value;
      } catch (error) {
        say(this.raw, this.rawError, error.message);
        good = false;
      }
    }
    return good ? found : null;
  }

  // An option may be named in camelCase too; here it has one name.
  nameOf(given) {
    for (const [name, field] of this.fields) if (field.form["x-aliases"]?.includes(given)) return name;
    return given;
  }

  // Show an error at the field of an option; false when it has none here.
  complain(name, message) {
    const field = this.fields.get(name);
    if (field === undefined) return false;
    say(field.input, field.error, message);
    return true;
  }

  // Type a text into the field of an option, if there is one.
  give(name, text) {
    const field = this.fields.get(name);
    if (field === undefined) return;
    field.input.value = text;
    this.edited(field);
  }

  reset() {
    this.given.clear();
    this.raw.value = "";
    for (const field of this.fields.values()) this.restore(field);
    this.changed();
  }

  get isChanged() {
    return this.raw.value.trim() !== "" || this.given.size > 0;
  }
}

function say(input, error, message) {
  error.textContent = message;
  error.hidden = !message;
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

// Up and down change a number by one, with Shift by ten: all that keeps the page from being tried at once is typing.
function nudge(event) {
  const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const input = event.currentTarget;
  const now = (input.value || input.placeholder).trim();
  if (!/^-?\d+$/.test(now)) return;
  event.preventDefault();
  input.value = String(Math.max(0, Number(now) + step * (event.shiftKey ? 10 : 1)));
  input.dispatchEvent(new Event("input", { bubbles: true }));
}
