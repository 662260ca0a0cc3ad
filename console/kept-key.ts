/** The API key is kept for this tab only, until it is closed. Another service below another path must not get it. */
const STORAGE_KEY =
  `animal-store-key ${new URL('.', document.baseURI).pathname.slice(1)}`.trimEnd();

/** A browser that blocks cookies refuses its storage. Then the key is kept until the page is loaded again. */
let kept: string | null = null;

export function keptKey(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return kept;
  }
}

export function keepKey(secret: string | null): void {
  kept = secret;
  try {
    if (secret === null) sessionStorage.removeItem(STORAGE_KEY);
    else sessionStorage.setItem(STORAGE_KEY, secret);
  } catch {}
}
