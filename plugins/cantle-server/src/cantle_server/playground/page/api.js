// Speaks to the service that the page came from, and to nobody else.

// What went wrong, for people. `status` is 0 when there was no answer; `option` names the option that is wrong, if the
// service says so.
export class Failure extends Error {
  constructor(status, message, { code = "", wait = 0 } = {}) {
    super(message);
    Object.assign(this, { status, code, wait });
  }
}

export const address = (path) => new URL(path, document.baseURI).href;

async function ask(path, token, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(address(path), { ...options, headers, credentials: "omit", redirect: "error", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "The service does not answer. Is it still running?");
  }
  if (answer.ok) return answer;
  const wait = Number(answer.headers.get("Retry-After")) || 0;
  let told = {};
  try {
    told = (await answer.json()).error ?? {};
  } catch { /* a proxy may answer with anything */ }
  throw new Failure(answer.status, String(told.message ?? `The service answered ${answer.status}.`), { code: told.code, wait });
}

// `{strategies: [{name, summary, options}], lengthFunctions}`
export async function strategies(token) {
  return (await ask("v1/strategies", token)).json();
}

// The body of a request for what is in `job`: a text goes as JSON, a file as it is, for the service to read.
export function bodyOf({ file, text, kind, strategy, options }) {
  if (file === null) return { text, ...(kind && { kind }), strategy, ...(Object.keys(options).length && { options }) };
  const form = new FormData();
  form.append("file", file, file.name);
  if (kind) form.append("kind", kind);
  form.append("strategy", strategy);
  form.append("options", JSON.stringify(options));
  return form;
}

// The chunks of a document, with its text when it was a file.
export async function chunk(job, token, signal) {
  const body = bodyOf(job);
  if (body instanceof FormData) {
    body.append("returnText", "true");
    body.append("returnSizes", "true");
    return (await ask("v1/chunk", token, { method: "POST", body, signal })).json();
  }
  const sent = JSON.stringify({ ...body, returnSizes: true });
  const answer = await ask("v1/chunk", token, {
    method: "POST", body: sent, signal, headers: { "Content-Type": "application/json" },
  });
  return { ...await answer.json(), text: job.text };
}
