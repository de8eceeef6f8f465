// From the JSON Schema of an option to the way it is asked for, and from what was typed to its value.

const partsOf = (form) => form.anyOf ?? form.oneOf ?? (Array.isArray(form.type)
  ? form.type.map((type) => ({ ...form, type })) : [form]);
const isNumber = (part) => part.type === "number" || part.type === "integer";
const isPair = (part) => part.type === "array" && Array.isArray(part.prefixItems) && part.prefixItems.every(isNumber);
const isStrings = (part) => part.type === "array" && !part.prefixItems && part.items?.type === "string";
const isText = (part) => part.type === "string" && !part.enum;
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// `{kind, nullable, ...}`: how to ask for an option. Kinds: flag, choice, number, text, list, json; what a form cannot
// ask for in a simpler way is asked for as JSON.
export function control(form) {
  const listed = form.enum ?? ("const" in form ? [form.const] : undefined);
  if (listed) return { kind: "choice", values: listed };
  const all = partsOf(form);
  const nullable = all.some((part) => part.type === "null");
  const parts = all.filter((part) => part.type !== "null");
  const choices = parts.filter((part) => part.enum);
  if (parts.length && choices.length === parts.length) {
    return { kind: "choice", values: [...choices.flatMap((part) => part.enum), ...(nullable ? [null] : [])] };
  }
  if (parts.length === 1 && parts[0].type === "boolean") {
    return nullable ? { kind: "choice", values: [true, false, null] } : { kind: "flag" };
  }
  if (parts.length && parts.every((part) => isNumber(part) || isPair(part)) && parts.some(isNumber)) {
    return {
      kind: "number", nullable, pair: parts.some(isPair), whole: parts.filter(isNumber).every((p) => p.type === "integer"),
      bounds: parts.find(isNumber),
    };
  }
  const names = form.examples?.every?.((one) => typeof one === "string") ? form.examples : undefined;
  if (parts.length === 1 && isText(parts[0])) return { kind: "text", nullable, names };
  if (names && !parts[0]?.type) return { kind: "text", nullable, names };
  if (parts.length === 1 && isStrings(parts[0])) return { kind: "list", nullable };
  return { kind: "json", nullable, text: parts.some(isText) };
}

// Texts are written as in JSON without the quotes: \n is a line feed, \\ a backslash. What is no escape stands for itself.
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|[nrtbf\\])/g;
export const escaped = (text) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
const unescaped = (text) => text.replace(ESCAPE, (found) => JSON.parse(`"${found}"`));

// A value as it is typed into its field.
export function typed(how, value) {
  if (value === null) return "none";
  if (how.kind === "number") return Array.isArray(value) ? value.join(", ") : String(value);
  if (how.kind === "text") return value === "" ? '""' : escaped(value);
  return JSON.stringify(value);
}

// What may be typed into a field, in words, where it needs to be said.
export function hint(how, fallback) {
  const none = how.nullable && fallback !== null ? "none" : "";
  if (how.kind === "number") {
    return [how.pair && "A number, or two: min, max.", none && "Write none for no value."].filter(Boolean).join(" ");
  }
  if (how.kind === "text" && !how.names) return ['\\n is a line feed, "" an empty text.', none && "Write none for no value."].filter(Boolean).join(" ");
  if (how.kind === "list") return 'A list as JSON, ["a", "b"], or one item a line; \\n is a line feed.';
  if (how.kind === "json") return how.text ? 'A text, or a list as JSON: ["a", "b"].' : "As JSON.";
  return "";
}

// The value of what was typed; undefined for the default. Throws an Error that says what would be right.
export function valueOf(how, text, fallback) {
  if (how.kind === "text") {
    if (text === "") return undefined;
    if (text === '""') return "";
    if (text === "none" && how.nullable && fallback !== null) return null;
    return unescaped(text);
  }
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (trimmed === "none" && how.nullable) return null;
  if (how.kind === "number") return numbers(how, trimmed);
  if (how.kind === "list" && !trimmed.startsWith("[")) return text.split("\n").map(unescaped);
  if (how.kind === "json" && how.text && !/^[[{"]/.test(trimmed)) return trimmed;
  const value = parsed(trimmed);
  if (how.kind === "list" && !(Array.isArray(value) && value.every((one) => typeof one === "string"))) {
    throw new Error('Write a list of texts: ["a", "b"].');
  }
  return value;
}

function numbers(how, text) {
  const found = text.split(/[\s,;]+/).map(Number);
  const wanted = how.pair ? "a number, or two numbers: min, max" : how.whole ? "a whole number" : "a number";
  if (found.length > (how.pair ? 2 : 1) || !found.every(Number.isFinite)) throw new Error(`Write ${wanted}.`);
  if (how.whole && !found.every(Number.isInteger)) throw new Error("Write a whole number.");
  const { minimum, exclusiveMinimum, maximum } = how.bounds;
  for (const one of found) {
    if (minimum !== undefined && one < minimum) throw new Error(`It must be at least ${minimum}.`);
    if (exclusiveMinimum !== undefined && one <= exclusiveMinimum) throw new Error(`It must be more than ${exclusiveMinimum}.`);
    if (maximum !== undefined && one > maximum) throw new Error(`It must be at most ${maximum}.`);
  }
  return found.length > 1 ? found : found[0];
}

// JSON with numbers that this language can hold: another one would be sent changed.
export function parsed(text) {
  let lost = false;
  let value;
  try {
    value = JSON.parse(text, (_, one) => {
      lost ||= typeof one === "number" && (!Number.isFinite(one) || (Number.isInteger(one) && !Number.isSafeInteger(one)));
      return one;
    });
  } catch (error) {
    throw new Error(`This is not JSON: ${error.message}.`);
  }
  if (lost) throw new Error("A number in it is too large to be sent from here.");
  return value;
}
