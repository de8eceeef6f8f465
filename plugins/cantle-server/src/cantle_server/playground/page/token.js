// The token: in this tab alone, until it is closed; in no address, and in no text that is copied.

const KEY = "cantle token";
const byId = (id) => document.getElementById(id);

export class Token {
  // `changed()` is called when another token is to be used.
  constructor(changed) {
    this.value = "";
    this.form = byId("token-form");
    this.field = byId("token");
    this.opener = byId("token-open");
    this.restore();
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.set(this.field.value);
      this.show(false);
      changed();
    });
    byId("token-forget").addEventListener("click", () => {
      this.set("");
      changed();
    });
    this.opener.addEventListener("click", () => {
      this.show(this.form.hidden);
      if (!this.form.hidden) this.field.focus();
    });
    window.addEventListener("hashchange", () => { if (this.fromAddress()) changed(); });
  }

  restore() {
    if (this.fromAddress()) return;
    try {
      this.value = sessionStorage.getItem(KEY) ?? "";
    } catch { /* storage may be switched off: the token lives as long as the page */ }
  }

  // `#token=...`: how a service in development mode hands one over. It does not stay in the address.
  fromAddress() {
    const found = location.hash.match(/^#token=([\w.~+/=-]+)$/);
    if (found === null) return false;
    history.replaceState(null, "", location.pathname + location.search);
    this.set(found[1]);
    return true;
  }

  set(value) {
    this.value = value.trim().replace(/^Bearer\s+/i, "").replace(/[^\x21-\x7e]/g, "");
    this.field.value = "";
    try {
      if (this.value) sessionStorage.setItem(KEY, this.value);
      else sessionStorage.removeItem(KEY);
    } catch { /* as above */ }
  }

  show(open) {
    this.form.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
  }

  // The service wants another one.
  wanted() {
    this.show(true);
    if (document.activeElement === document.body) this.field.focus();
  }
}
