// Copies a text: by the clipboard, else by the way of old, else it is shown selected, to be copied by hand.

const byId = (id) => document.getElementById(id);

export async function copy(text) {
  const fallback = byId("fallback"), field = byId("fallback-text");
  fallback.hidden = true;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { /* not allowed, or no such thing: the page is not served from a safe place */ }
  const before = document.activeElement;
  field.value = text;
  fallback.hidden = false;
  field.focus();
  field.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch { /* as above */ }
  if (copied) {
    fallback.hidden = true;
    before?.focus();
  }
  return copied;
}

// A button that copies what `text()` gives and says so on itself for a moment.
export function copies(button, text, say) {
  const label = button.textContent;
  let timer = 0;
  button.addEventListener("click", async () => {
    const copied = text();
    if (!copied) {
      say("Nothing is copied: a field is wrong.");
      return;
    }
    const done = await copy(copied);
    say(done ? "Copied." : "The text is selected: press Ctrl+C.");
    button.textContent = done ? "Copied" : "Selected";
    clearTimeout(timer);
    timer = setTimeout(() => { button.textContent = label; }, 2000);
  });
}

byId("fallback-close").addEventListener("click", () => { byId("fallback").hidden = true; });
