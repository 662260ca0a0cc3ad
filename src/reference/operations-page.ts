import { ERRORS, type ErrorCode } from '../http/contract/errors.ts';
import { type Described, type DescribedOperation, operationsOf } from './described.ts';
import { bodyFields } from './fields.ts';
import { type Content, html, type Markup, markdown } from './html.ts';
import { describeOperation, marks, methodMark } from './operation.ts';
import { type Page, REFERENCE_HREF } from './page.ts';

interface Group {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

/**
 * The page with all operations.
 * @param baseUrl the base URL of this service, for the commands.
 */
export function operationsPage(document: Described, baseUrl: string): Page {
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name, description }) => ({
    id: name.toLowerCase().replaceAll(' ', '-'),
    name,
    description,
    operations: operations.filter(({ tags }) => tags.includes(name)),
  }));
  return {
    title: 'API reference',
    href: REFERENCE_HREF,
    contents: html`<ul class="parts">
<li class="part"><a class="title" href="#start">Start</a></li>
${groups.map(groupContents)}
<li class="part"><a class="title" href="#errors">Errors</a></li>
<li class="part"><a class="title" href="#headers">Response headers</a></li>
</ul>`,
    body: html`
<h1>API reference</h1>
${start(document, operations, baseUrl)}
${groups.map(describeGroup)}
${errorsSection(document)}
${headersSection(document)}`,
  };
}

const groupContents = ({ id, name, operations }: Group): Markup =>
  html`<li class="part"><a class="title" href="#${id}">${name}</a><ul>${operations.map(
    (operation) =>
      html`<li><a href="#${operation.operationId}">${methodMark(operation.method)} ${operation.summary}</a></li>`,
  )}</ul></li>`;

const describeGroup = ({ id, name, description, operations }: Group): Markup => html`
<section aria-labelledby="${id}">
<h2 id="${id}"><a href="#${id}">${name}</a></h2>
<p class="lead">${description}</p>
<ul class="index">${operations.map(
  (operation) =>
    html`<li>${methodMark(operation.method)} <a href="#${operation.operationId}"><code>${operation.path}</code></a> ${marks(operation)}</li>`,
)}</ul>
${operations.map(describeOperation)}
</section>`;

const start = (
  { info, servers, components }: Described,
  operations: readonly DescribedOperation[],
  baseUrl: string,
): Markup => html`
<section aria-labelledby="start">
<div class="columns"><div class="said">
<div class="lead">${markdown(info.description)}</div>
<h2 id="start"><a href="#start">Start</a></h2>
<p>The examples on this page run as they are if a shell has these variables.</p>
<h3 id="authentication"><a href="#authentication">Authentication</a></h3>
<p>Send the API key as a Bearer token in the header <code>Authorization</code> of each request. ${components.securitySchemes.apiKey.description}</p>
<h3 id="servers"><a href="#servers">Base URLs</a></h3>
<ul class="servers">${servers.map(({ url, description }) => html`<li>${description}: <code>${url}</code></li>`)}</ul>
${marksExplained(operations)}
</div><div class="shown">
<figure><figcaption>Variables</figcaption><pre><code class="language-sh">export STORE=${baseUrl}
export KEY=ask_live_…
export AUTH="Authorization: Bearer $KEY"</code></pre></figure>
</div></div>
</section>`;

const marksExplained = (operations: readonly DescribedOperation[]): Content =>
  operations.some((operation) => operation['x-stability'] !== undefined) &&
  html`<h3 id="marks"><a href="#marks">Marks</a></h3>
<p>What is marked <span class="mark beta">beta</span> may still change: <a href="plain/api-changelog">the API changelog</a> announces each change.
What is marked <span class="mark deprecated">deprecated</span> is removed on the day that its notice names. Everything else is stable.</p>`;

function errorsSection({ components }: Described): Markup {
  const error = components.schemas['Error'] ?? {};
  const { anyOf = [], ...code } = error.properties?.['code'] ?? {};
  const codes = anyOf.flatMap((each) => each.enum ?? []);
  // The table lists the values of the code.
  const properties = { ...error.properties, code: { ...code, type: 'string' } };
  return html`
<section aria-labelledby="errors">
<h2 id="errors"><a href="#errors">Errors</a></h2>
<p class="lead">Every error has this body. Decide by <code>code</code>.</p>
${bodyFields({ ...error, properties })}
<table><thead><tr><th>Code</th><th>Status</th><th>What it means</th><th>What to do</th></tr></thead><tbody>${codes.map(errorRow)}</tbody></table>
</section>`;
}

function errorRow(code: string): Markup {
  const { status, message, remedy } = ERRORS[code as ErrorCode];
  return html`<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${message}</td><td>${markdown(remedy)}</td></tr>`;
}

const headersSection = ({ components }: Described): Markup => html`
<section aria-labelledby="headers">
<h2 id="headers"><a href="#headers">Response headers</a></h2>
<dl class="fields">${Object.entries(components.headers).map(
  ([name, { description }]) =>
    html`<div id="header-${name}"><dt><code class="name">${name}</code></dt><dd>${markdown(description)}</dd></div>`,
)}</dl>
</section>`;
