import apiChangelog from '../../docs/api-changelog.md' with { type: 'file' };
import errors from '../../docs/errors.md' with { type: 'file' };
import integrating from '../../docs/integrating.md' with { type: 'file' };
import reliableClients from '../../docs/reliable-clients.md' with { type: 'file' };
import { Markup, markdown } from './html.ts';

/** A guide of the folder docs, as a part of a page. */
export interface Guide {
  /** The last segment of its path. */
  readonly name: string;
  readonly title: string;
  readonly body: Markup;
  readonly headings: readonly Heading[];
}

interface Heading {
  readonly id: string;
  readonly title: string;
}

/** In the order of the navigation. The name is that of the file without `.md`. */
const FILES = [
  ['integrating', integrating],
  ['reliable-clients', reliableClients],
  ['errors', errors],
  ['api-changelog', apiChangelog],
] as const;

/** The base URL in the guides. */
const BASE_URL = 'http://127.0.0.1:8080/v1';

/** Reads the guides. Their commands name the base URL of this service. */
export const readGuides = (baseUrl: string): Promise<Guide[]> =>
  Promise.all(
    FILES.map(async ([name, path]) => {
      const text = await Bun.file(path).text();
      return render(name, text.replaceAll(BASE_URL, baseUrl));
    }),
  );

function render(name: string, text: string): Guide {
  const rendered = markdown(text).text;
  const title = /<h1[^>]*>(.*?)<\/h1>/.exec(rendered)?.[1] ?? name;
  const body = withRowAnchors(withServedLinks(rendered));
  return { name, title: textOf(title), body: new Markup(body), headings: headingsOf(body) };
}

/** The headings of the second level. A guide without them consists of a table, whose rows it is about. */
function headingsOf(body: string): Heading[] {
  const headings = [...body.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)];
  const rows = [...body.matchAll(/<tr id="([^"]*)"><td>(.*?)<\/td>/g)];
  return (headings.length > 0 ? headings : rows).map(([, id = '', title = '']) => ({
    id,
    title: textOf(title),
  }));
}

const textOf = (markup: string): string => markup.replaceAll(/<[^>]*>/g, '');

/** Paths relative to a guide, as it is served. */
const SERVED = new Map<string, string>([
  ...FILES.map(([name]) => [`${name}.md`, name] as const),
  ['../openapi.json', '../../openapi.json'],
]);

/** Links to files that the service does not serve become text. */
const withServedLinks = (text: string): string =>
  text.replaceAll(
    /<a href="([^"#]*)(#[^"]*)?">([\s\S]*?)<\/a>/g,
    (link, path: string, anchor = '', label: string) => {
      if (path === '' || path.startsWith('https:')) return link;
      const target = SERVED.get(path);
      return target === undefined ? label : `<a href="${target}${anchor}">${label}</a>`;
    },
  );

/** A row of a table that starts with an error code can be linked to. */
const withRowAnchors = (text: string): string =>
  text.replaceAll(/<tr><td><code>([a-z_]+)<\/code>/g, '<tr id="$1"><td><code>$1</code>');
