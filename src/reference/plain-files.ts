import tokensFile from '../../console/style/tokens.css' with { type: 'file' };
import type { OpenApiDocument } from '../http/document/openapi.ts';
import type { AssetContent } from '../http/response/asset.ts';
import { describedIn } from './described.ts';
import { type Guide, readGuides } from './guides.ts';
import { html } from './html.ts';
import { operationsPage } from './operations-page.ts';
import { type Page, REFERENCE_HREF, renderPage } from './page.ts';
import baseFile from './style/base.css' with { type: 'file' };
import frameFile from './style/frame.css' with { type: 'file' };
import partsFile from './style/parts.css' with { type: 'file' };
import windowsFile from './style/windows.css' with { type: 'file' };
import { findScalar } from './try-out-files.ts';

const PLAIN_PATH = '/docs/plain';

/** The later ones override the earlier ones. */
const STYLES = [tokensFile, baseFile, frameFile, partsFile, windowsFile];

export interface PlainOptions {
  readonly document: OpenApiDocument;
  /** The base URL of this service. */
  readonly baseUrl: string;
  /** False: without the guides because they describe our additions. */
  readonly extensions: boolean;
  /** Whether `/docs` is switched on. */
  readonly tryOut: boolean;
}

/** The pages of the reference without scripts, by path: the operations, and the guides of the folder docs. */
export async function plainFiles(
  options: PlainOptions,
): Promise<ReadonlyMap<string, AssetContent>> {
  const guides = options.extensions ? await readGuides(options.baseUrl) : [];
  const hasTryOut = options.tryOut && (await findScalar()) !== undefined;
  const style = (await Promise.all(STYLES.map((path) => Bun.file(path).text()))).join('');
  const frame = { style, links: linksOf(guides, hasTryOut) };
  const reference = operationsPage(describedIn(options.document), options.baseUrl);
  return new Map([
    [PLAIN_PATH, renderPage(reference, frame)],
    ...guides.map((guide): [string, AssetContent] => [
      `${PLAIN_PATH}/${guide.name}`,
      renderPage(guidePage(guide), frame),
    ]),
  ]);
}

const linksOf = (guides: readonly Guide[], hasTryOut: boolean) => [
  { href: REFERENCE_HREF, title: 'Reference' },
  ...guides.map(({ name, title }) => ({ href: name, title })),
  ...(hasTryOut ? [{ href: '../../docs', title: 'Try it' }] : []),
  { href: '../../openapi.json', title: 'openapi.json' },
];

const guidePage = ({ name, title, body, headings }: Guide): Page => ({
  title,
  href: name,
  contents: html`<ul class="parts">${headings.map((heading) => html`<li><a href="#${heading.id}">${heading.title}</a></li>`)}</ul>`,
  body: html`<article class="guide">${body}</article>`,
});
