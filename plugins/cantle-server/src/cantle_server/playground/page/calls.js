// The same call as text: for Python, and for a shell. Both are made of what is sent, so they do what the page does.

import { address, bodyOf } from "./api.js";

const SUFFIXES = { markdown: ".md", html: ".html", json: ".json", latex: ".tex" };
const MAKERS = { markdown: "from_markdown", html: "from_html", json: "from_json", latex: "from_latex", pdf: "from_pdf_text" };
const WORDS = new Set(("False None True and as assert async await break class continue def del elif else except finally for "
  + "from global if import in is lambda nonlocal not or pass raise return try while with yield").split(" "));
const MOST = 60_000;  // a shell takes 128 KiB in one argument

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

// JSON in which every character can be seen: copied text is read before it is run.
function json(value) {
  return JSON.stringify(value).replace(UNSEEN, (found) =>
    Array.from({ length: found.length }, (_, i) => "\\u" + found.charCodeAt(i).toString(16).padStart(4, "0")).join(""));
}

function text(value) {
  return JSON.stringify(value).replace(UNSEEN, (found) => {
    const code = found.codePointAt(0).toString(16);
    return found.length > 1 ? "\\U" + code.padStart(8, "0") : "\\u" + code.padStart(4, "0");
  });
}

// A value of JSON as Python writes it.
export function python(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  return `{${Object.entries(value).map(([name, one]) => `${text(name)}: ${python(one)}`).join(", ")}}`;
}

export const nameOf = ({ file, kind }) => file?.name || "document" + (SUFFIXES[kind] ?? ".txt");

function argumentsOf({ strategy, options }) {
  const names = Object.entries(options);
  const plain = names.filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !WORDS.has(name));
  const others = names.filter((one) => !plain.includes(one));
  const found = [text(strategy), ...plain.map(([name, value]) => `${name}=${python(value)}`)];
  if (others.length) found.push(`**${python(Object.fromEntries(others))}`);
  return found;
}

// `job` is what was sent, `tuples` the names of options that take tuples of a fixed length.
export function pythonCall(job) {
  const lines = [];
  if (job.file === null) {
    lines.push("from pathlib import Path", "", "from cantle import MDocument", "");
    lines.push(`text = Path(${text(nameOf(job))}).read_bytes().decode()`);
    const maker = MAKERS[job.kind] ?? "from_text";
    lines.push(`document = MDocument.${maker}(text)`);
  } else {
    const kind = job.kind ? `, kind=${text(job.kind)}` : "";
    lines.push("from cantle import MDocument", "", `document = MDocument.from_file(${text(nameOf(job))}${kind})`);
  }
  const given = argumentsOf(job);
  const short = `chunks = document.chunk(${given.join(", ")})`;
  if (short.length <= 100) lines.push(short);
  else lines.push("chunks = document.chunk(", ...given.map((one) => `    ${one},`), ")");
  lines.push("for chunk in chunks:", "    print(chunk.index, chunk.start, chunk.end, repr(chunk.text))");
  return lines.join("\n") + "\n";
}

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

function curl(...parts) {
  const head = `curl -sS ${quoted(address("v1/chunk"))}`;
  return [head, '-H "Authorization: Bearer $TOKEN"', ...parts].join(" \\\n  ") + "\n";
}

export function curlCall(job) {
  if (job.file === null) {
    const body = quoted(json(bodyOf(job)));
    if (body.length <= MOST && new Blob([body]).size <= MOST) return curl("-H 'Content-Type: application/json'", `--data-binary ${body}`);
  }
  const name = nameOf(job);
  // In a form curl gives quotes and backslashes in names a meaning; --form-string gives nothing one.
  const parts = [`-F ${quoted(`file=@"${name.replace(/["\\]/g, "\\$&")}"`)}`];
  const add = (field, value) => parts.push(`--form-string ${quoted(`${field}=${value}`)}`);
  const kind = job.kind || (job.file === null ? "text" : "");
  if (kind) add("kind", kind);
  if (job.file === null) add("frontMatter", "keep");
  add("strategy", job.strategy);
  if (Object.keys(job.options).length) add("options", json(job.options));
  return curl(...parts);
}
