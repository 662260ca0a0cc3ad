import { createHash } from 'node:crypto';
import type { AssetContent } from '../http/response/asset.ts';
import { type Content, html, type Markup } from './html.ts';

/** A link of the navigation, relative to `/docs/plain/`. */
interface PageLink {
  readonly href: string;
  readonly title: string;
}

export interface Page {
  readonly title: string;
  /** The path of the page relative to `/docs/plain/`. */
  readonly href: string;
  /** What is on the page. */
  readonly contents: Markup;
  readonly body: Markup;
}

export interface Frame {
  readonly style: string;
  readonly links: readonly PageLink[];
}

/** Writes a page. It runs no script and loads nothing, and cannot be framed. The hash allows its own style (CSP Level 3). */
export const renderPage = (page: Page, { style, links }: Frame): AssetContent => ({
  contentType: 'text/html; charset=utf-8',
  headers: {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  },
  text: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(page.title)} · Animal Store</title>
<style>${style}</style>
</head>
${bodyOf(page, links).text}
</html>
`,
});

/** The contents are there twice, of which the style shows one: beside the page, or folded above it. */
const bodyOf = (page: Page, links: readonly PageLink[]): Markup => html`<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<p class="brand">Animal Store <span>API</span></p>
<nav aria-label="Pages"><ul>${links.map((link) => html`<li>${pageLink(link, page)}</li>`)}</ul></nav>
</header>
<div class="frame">
<nav class="contents wide" aria-label="On this page">${page.contents}</nav>
<nav class="contents narrow" aria-label="On this page"><details><summary>On this page</summary>${page.contents}</details></nav>
<main id="content" tabindex="-1">${page.body}</main>
</div>
</body>`;

/** Links are relative, so that a proxy may serve the pages below another path. */
const pageLink = ({ href, title }: PageLink, page: Page): Content =>
  html`<a href="${relative(href, page.href)}"${href === page.href && html` aria-current="page"`}>${title}</a>`;

/** The page `/docs/plain` itself is one level above the others. */
const relative = (href: string, from: string): string =>
  from === REFERENCE_HREF ? `plain/${href}`.replace(/^plain\/\.\.\//, '') : href;

/** The reference itself, relative to `/docs/plain/`. */
export const REFERENCE_HREF = '../plain';
