/** A part of the page. @throws if it is missing: the page names the script of its own version, so it has it. */
export function part<T extends HTMLElement>(within: ParentNode, selector: string): T {
  const found = within.querySelector<T>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** Creates an element. A text is never read as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Adds a button that copies a block. This way works without HTTPS, too. If the browser refuses, the text is selected. */
export function offerCopy(block: Element): void {
  const button = element('button', { className: 'button small copy', type: 'button' }, 'Copy');
  button.addEventListener('click', () => {
    getSelection()?.selectAllChildren(part(block, 'code'));
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
  });
  block.prepend(button);
}

/** Says how something in a form went. Screen readers read it. */
export function say(form: HTMLFormElement, said: string | (Node | string)[], isBad = false): void {
  const outcome = part(form, '.outcome');
  outcome.replaceChildren(...[said].flat());
  outcome.classList.toggle('bad', isBad);
}

/** An address relative to `/docs/`, where this script is, too: a proxy may serve all of it below another path. */
export const addressOf = (href: string): string => new URL(href, import.meta.url).href;
