import program from '../../reference/program.html';
import { buildPage, FOR_EVER } from '../build-page.ts';
import type { OpenApiDocument } from '../http/document/openapi.ts';
import { spelledOut } from '../http/document/read-document.ts';
import type { AssetContent } from '../http/response/asset.ts';
import { readGuides } from './guides.ts';
import { operationsPage } from './operations-page.ts';
import { renderPage } from './page.ts';
import { searchIndex } from './search-index.ts';

type Files = ReadonlyMap<string, AssetContent | { readonly location: string }>;

/**
 * The reference by path: the operations, the guides of the folder docs, and what their script loads.
 * @param extensions false: without the guides because they describe our additions.
 */
export async function referenceFiles(
  generated: OpenApiDocument,
  baseUrl: string,
  extensions: boolean,
): Promise<Files> {
  const document = spelledOut(generated);
  const guides = extensions ? await readGuides(baseUrl) : [];
  const pages = [operationsPage(document, baseUrl), ...guides];
  const built = await buildPage(program);
  const fileOf = (end: string) => built.find(({ name }) => name.endsWith(end));
  const script = fileOf('.js');
  const style = fileOf('.css');
  if (script === undefined || style === undefined) throw new Error('The reference was not built.');
  const links = [...pages, { href: '../openapi.json', title: 'openapi.json' }];
  const frame = { style: style.text, script, links };
  const index = JSON.stringify(searchIndex(document, guides));
  return new Map<string, AssetContent | { readonly location: string }>([
    ...pages.map((page) => [pathOf(page.href), renderPage(page, frame)] as const),
    ...pages.map(({ href }) => withSlash(href)),
    [pathOf(script.name), { ...script, headers: FOR_EVER }],
    [pathOf('search.json'), { contentType: 'application/json', text: index }],
  ]);
}

const pathOf = (href: string): string => new URL(href, 'http://service/docs/').pathname;

/** Users type a slash after the path of a page. */
const withSlash = (href: string) =>
  [`${pathOf(href)}/`, { location: `../${href.split('/').at(-1)}` }] as const;
