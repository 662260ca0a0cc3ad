import { ERRORS, type ErrorCode } from '../http/contract/errors.ts';
import {
  type DescribedOperation,
  errorCodesOf,
  operationsIn,
  type ReadDocument,
} from '../http/document/read-document.ts';
import { type Content, html, type Markup, markdown } from './html.ts';
import { describeOperation, methodMark } from './operation.ts';
import { type Page, REFERENCE_HREF } from './page.ts';
import { startSection } from './start.ts';

type Group = ReturnType<typeof groupsOf>[number];

/** The page with all operations. The commands have the base URL of this service. */
export function operationsPage(document: ReadDocument, baseUrl: string): Page {
  const operations = operationsIn(document);
  const groups = groupsOf(document, operations);
  return {
    title: 'API reference',
    href: REFERENCE_HREF,
    contents: html`<ul>
<li><a class="title" href="#start">Start</a></li>
${groups.map(groupContents)}
<li><a class="title" href="#errors">Errors</a></li>
<li><a class="title" href="#headers">Response headers</a></li>
</ul>`,
    body: html`
<h1>API reference</h1>
${startSection(document, operations, baseUrl)}
${groups.map(describeGroup)}
${errorsSection(document)}
${headersSection(document)}`,
  };
}

/** The operations by tag. Deprecated ones are a group of their own, the last. */
function groupsOf({ tags }: ReadDocument, operations: readonly DescribedOperation[]) {
  const groups = [...tags, DEPRECATED].map(({ name, description }) => ({
    id: name.toLowerCase().replaceAll(' ', '-'),
    name,
    description,
    operations: operations.filter((operation) =>
      operation.deprecated ? name === DEPRECATED.name : operation.tags.includes(name),
    ),
  }));
  return groups.filter((group) => group.operations.length > 0);
}

const DEPRECATED = {
  name: 'Deprecated',
  description: 'Not for new clients. Each says until when it works, and what replaces it.',
};

const groupContents = ({ id, name, operations }: Group): Markup =>
  html`<li><a class="title" href="#${id}">${name}</a><ul>${operations.map(
    ({ operationId, method, summary }) =>
      html`<li><a href="#${operationId}">${methodMark(method)} ${summary}</a></li>`,
  )}</ul></li>`;

const describeGroup = ({ id, name, description, operations }: Group): Markup => html`
<section aria-labelledby="${id}">
<h2 id="${id}"><a href="#${id}">${name}</a></h2>
<p class="lead">${description}</p>
${operations.map(describeOperation)}
</section>`;

const errorsSection = (document: ReadDocument): Markup => html`
<section aria-labelledby="errors">
<h2 id="errors"><a href="#errors">Errors</a></h2>
<p>The body of every error is <code>{"code": …, "message": …, "status": …}</code>. Decide by the code: the message is for people.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>What it means</th><th>What to do</th></tr></thead>
<tbody>${errorCodesOf(document).map(errorRow)}</tbody></table>
</section>`;

function errorRow(code: string): Markup {
  const { status, message, remedy } = ERRORS[code as ErrorCode];
  return html`<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${message}</td>
<td>${markdown(remedy)}</td></tr>`;
}

const headersSection = ({ components }: ReadDocument): Content => html`
<section aria-labelledby="headers">
<h2 id="headers"><a href="#headers">Response headers</a></h2>
<dl class="fields">${Object.entries(components.headers).map(
  ([name, { description }]) =>
    html`<div id="header-${name}"><dt><code class="name">${name}</code></dt><dd>${markdown(description)}</dd></div>`,
)}</dl>
</section>`;
