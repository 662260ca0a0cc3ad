import { addressOf, part, say } from './page.ts';

/** As the console does: kept for this tab only, and one key for both pages. */
const STORAGE_KEY = `animal-store-key ${new URL(addressOf('..')).pathname.slice(1)}`.trimEnd();

/** Uses the storage of this tab. A browser that blocks cookies refuses it: then the key is kept until the page is left. */
function keep<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/** An API key that the service has accepted. With EXTENSIONS=off the service does not say which scopes it has. */
type Accepted = {
  readonly secret: string;
  readonly scopes?: readonly string[];
  readonly name: string;
};

/** The API key that the user has given to this tab. */
export class GivenKey {
  accepted: Accepted | undefined;
  /** What the user wanted to do when the key was missing. */
  #asking: HTMLElement | undefined;
  /** The key that was given last. An answer about another one comes too late. */
  #checking = '';
  readonly #input: HTMLInputElement;

  constructor(
    readonly form: HTMLFormElement,
    readonly onChange: () => void,
  ) {
    this.#input = part(form, 'input');
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#use(this.#input.value.trim());
    });
    part(form, '.forget').addEventListener('click', () => {
      this.#checking = '';
      this.#set(undefined, 'The key is forgotten.');
      this.#input.focus();
    });
    const stored = keep((storage) => storage.getItem(STORAGE_KEY)) ?? null;
    if (stored !== null) this.#use(stored);
  }

  /** Leads the user to the form, and back as soon as a key is accepted. */
  ask(from: HTMLElement): void {
    this.#asking = from;
    say(this.form, 'First give an API key. Then the page returns to your request.');
    this.#input.focus();
  }

  /** Accepts a key if the service does. */
  async #use(secret: string): Promise<void> {
    say(this.form, 'Asking the service…');
    this.#checking = secret;
    try {
      const headers = { Authorization: `Bearer ${secret}` };
      const signal = AbortSignal.timeout(35_000);
      const response = await fetch(addressOf('../v1/api-keys/current'), { headers, signal });
      const { name, scopes, code, message } = await response.json().catch(() => ({}));
      if (this.#checking !== secret) return;
      if (Array.isArray(scopes)) {
        return this.#set(
          { secret, scopes, name },
          `“${name}” has the scopes ${scopes.join(', ')}.`,
        );
      }
      if (code === 'route_not_found') {
        return this.#set({ secret, name: 'this key' }, 'The service accepts this key.');
      }
      throw new Error(message ?? `The response is ${response.status}, and not of the service.`);
    } catch (error) {
      if (this.#checking !== secret) return;
      const used = this.accepted ? ` The page still uses “${this.accepted.name}”.` : '';
      say(this.form, (error as Error).message + used, true);
    }
  }

  #set(accepted: Accepted | undefined, message: string): void {
    this.accepted = accepted;
    keep((storage) =>
      accepted === undefined
        ? storage.removeItem(STORAGE_KEY)
        : storage.setItem(STORAGE_KEY, accepted.secret),
    );
    this.#input.value = '';
    part(this.form, '.forget').hidden = accepted === undefined;
    say(this.form, message);
    this.onChange();
    if (accepted !== undefined) this.#asking?.focus();
    this.#asking = undefined;
  }
}
