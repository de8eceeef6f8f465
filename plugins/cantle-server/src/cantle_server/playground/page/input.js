// The document: typed, pasted, dropped or opened.

import { direction, number } from "./text.js";

const byId = (id) => document.getElementById(id);
const SUFFIXES = {
  md: "markdown", markdown: "markdown", html: "html", htm: "html", json: "json", tex: "latex", pdf: "pdf",
};
const SAMPLE = `# The harbour

The harbour lies at the mouth of the river. Boats of up to twelve metres find a berth there all year round.

## Tides

High water comes twice a day, about fifty minutes later each day. Around new and full moon the range is largest: these are the springs. A week later come the neaps, when there is least water to be had and least taken away.

| Month | Springs | Neaps |
|-------|---------|-------|
| March | 5.4 m   | 2.1 m |
| June  | 4.6 m   | 2.4 m |

## Berths

Visitors moor at the outer pontoon and report to the harbour office within the hour. Water and electricity are included. The office is open from 8 to 18, in July and August until 20.

## Fees

A night costs two euros a metre. Those who stay for a week pay for six nights. Rowing boats are free.
`;

export class Input {
  // `changed()` is called when there is another document, `sampled()` when it is the sample.
  constructor(changed, sampled) {
    this.changed = changed;
    this.file = null;
    this.area = byId("input");
    this.kind = byId("kind");
    this.area.addEventListener("input", () => {
      this.area.dir = direction(this.area.value.slice(0, 2000));  // dir="auto" takes seconds for a long text
      changed();
    });
    this.kind.addEventListener("change", changed);
    byId("sample").addEventListener("click", () => {
      this.open(null);
      this.kind.value = "markdown";
      this.area.value = SAMPLE;
      sampled();
    });
    byId("file-remove").addEventListener("click", () => {
      this.open(null);
      this.area.focus();
    });
    const choose = byId("choose");
    choose.addEventListener("change", () => {
      if (choose.files.length) this.open(choose.files[0]);
      choose.value = "";
    });
    // A file may be dropped anywhere: beside its place the browser would open it, and the page would be gone.
    document.addEventListener("dragover", (event) => this.dragged(event, true));
    document.addEventListener("dragleave", (event) => { if (event.relatedTarget === null) byId("drop").classList.remove("over"); });
    document.addEventListener("drop", (event) => this.dragged(event, false));
    this.area.addEventListener("paste", (event) => {
      const file = event.clipboardData?.files[0];
      if (file && !event.clipboardData.getData("text")) {
        event.preventDefault();
        this.open(file);
      }
    });
  }

  dragged(event, over) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    byId("drop").classList.toggle("over", over);
    if (!over && event.dataTransfer.files.length) this.open(event.dataTransfer.files[0]);
  }

  // Take a file instead of the text, or the text again.
  open(file) {
    this.file = file;
    this.area.hidden = file !== null;
    byId("file").hidden = file === null;
    byId("file-name").textContent = file?.name ?? "";
    byId("file-size").textContent = file ? `${number(file.size)} bytes` : "";
    if (file !== null) {
      this.kind.value = "";
      byId("file-remove").focus();
    }
    this.changed();
  }

  get isEmpty() {
    return this.file === null && this.area.value === "";
  }

  // The kind by hand, or by the name of the file; text otherwise.
  get guessed() {
    return this.kind.value || SUFFIXES[this.file?.name.match(/\.(\w+)$/)?.[1].toLowerCase()] || "text";
  }

  // The service has read the file: say as what.
  isOf(answer) {
    if (this.file !== null) byId("file-size").textContent = `${number(this.file.size)} bytes, read as ${answer.kind}`;
  }

  read() {
    return { file: this.file, text: this.file === null ? this.area.value : "", kind: this.kind.value };
  }
}
