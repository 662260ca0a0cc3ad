import changelog from '../../CHANGELOG.md' with { type: 'file' };
import errors from '../../docs/errors.md' with { type: 'file' };
import integrate from '../../docs/integrate.md' with { type: 'file' };
import recipes from '../../docs/recipes.md' with { type: 'file' };
import retries from '../../docs/retries.md' with { type: 'file' };
import { html, Markup, markdown } from './html.ts';
import type { Page } from './page.ts';

export interface Guide extends Page {
  readonly headings: readonly { readonly id: string; readonly title: string }[];
}

/** In the order of the navigation. */
const GUIDES = { integrate, retries, recipes, errors, changelog };
const FILES = Object.entries(GUIDES);

/** Reads the guides. Their commands name the base URL of this service. */
export const readGuides = (baseUrl: string): Promise<Guide[]> =>
  Promise.all(
    FILES.map(async ([name, path]) =>
      render(name, (await Bun.file(path).text()).replaceAll('http://127.0.0.1:8080/v1', baseUrl)),
    ),
  );

function render(href: string, text: string): Guide {
  const body = withRowAnchors(withServedLinks(markdown(text).text));
  const headings = headingsOf(body);
  return {
    href,
    title: textOf(/<h1[^>]*>(.*?)<\/h1>/.exec(body)?.[1] ?? href),
    headings,
    contents: html`<ul>${headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`,
    body: html`<article class="guide">${new Markup(body)}</article>`,
  };
}

/** The headings of the second level. A guide without them consists of a table, whose rows it is about. */
function headingsOf(body: string): Guide['headings'] {
  const headings = [...body.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)];
  const rows = [...body.matchAll(/<tr id="([^"]*)"><td>(.*?)<\/td>/g)];
  return (headings.length > 0 ? headings : rows).map(([, id = '', title = '']) => ({
    id,
    title: textOf(title),
  }));
}

const textOf = (markup: string): string => markup.replaceAll(/<[^>]*>/g, '');

/** Links to files that the service does not serve become text. */
const withServedLinks = (text: string): string =>
  text.replaceAll(
    /<a href="([^"#]*)(#[^"]*)?">([\s\S]*?)<\/a>/g,
    (link, path: string, anchor = '', label: string) => {
      if (path === '' || path.startsWith('https:')) return link;
      const target = path.replace(/^(?:.*\/)?(.*)\.md$/, '$1').toLowerCase();
      const isServed = path === '../openapi.json' || FILES.some(([name]) => name === target);
      return isServed ? `<a href="${target}${anchor}">${label}</a>` : label;
    },
  );

/** A row of a table that starts with an error code can be linked to. */
const withRowAnchors = (text: string): string =>
  text.replaceAll(/<tr><td><code>([a-z_]+)<\/code>/g, '<tr id="$1"><td><code>$1</code>');
