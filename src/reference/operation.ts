import type { DescribedOperation, DescribedResponse, Header, Parameter } from './described.ts';
import { curlExample, prettyJson } from './examples.ts';
import { bodyFields, parameterList, typeOf } from './fields.ts';
import { type Content, html, type Markup, markdown } from './html.ts';

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/** An operation: on the left what to send and what is returned, on the right examples. */
export function describeOperation(operation: DescribedOperation): Markup {
  const { operationId, method, path, summary, description, parameters = [] } = operation;
  const responses = Object.entries(operation.responses);
  return html`
<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a> ${marks(operation)}</h3>
<p class="route">${methodMark(method)} <code>${path}</code></p>
<div class="columns"><div class="said">
${markdown(description)}
${deprecationOf(operation)}
${Object.entries(PLACES).map(([place, title]) =>
  parametersIn(
    title,
    parameters.filter((parameter) => parameter.in === place),
  ),
)}
${requestBody(operation)}
${responses.filter(([status]) => status < '400').map(([status, response]) => success(status, response))}
<h4>Errors</h4>
<ul class="errors">${responses.filter(([status]) => status >= '400').map(([status, response]) => errorCodes(status, response))}</ul>
</div><div class="shown">${examplesOf(operation)}</div></div>
</article>`;
}

const EFFECTS: Readonly<Record<string, string>> = { GET: 'reads', DELETE: 'removes' };

export const methodMark = (method: string): Markup =>
  html`<span class="method ${EFFECTS[method] ?? 'writes'}">${method}</span>`;

export const marks = ({ deprecated, ...operation }: DescribedOperation): Content => [
  operation['x-stability'] && html`<span class="mark beta">${operation['x-stability']}</span>`,
  deprecated && html`<span class="mark deprecated">deprecated</span>`,
];

const deprecationOf = ({ deprecated, ...operation }: DescribedOperation): Content =>
  deprecated &&
  html`<p class="notice">This operation is deprecated. From <time datetime="${operation['x-sunset']}">${operation['x-sunset']}</time>
on it responds with 410 <code>operation_removed</code>.</p>`;

const parametersIn = (title: string, parameters: readonly Parameter[]): Content =>
  parameters.length > 0 && html`<h4>${title}</h4>${parameterList(parameters)}`;

function requestBody({ requestBody }: DescribedOperation): Content {
  const [content] = Object.values(requestBody?.content ?? {});
  if (requestBody === undefined || content === undefined) return undefined;
  const types = Object.keys(requestBody.content).map((type, index) => [
    index > 0 && ' or ',
    html`<code>${type}</code>`,
  ]);
  return html`<h4>Request body</h4>
<p>${types}. ${content.schema.description}</p>
${bodyFields(content.schema)}`;
}

function success(status: string, { description, content, headers = {} }: DescribedResponse) {
  const [body] = Object.values(content ?? {});
  return html`<h4><span class="status">${status}</span> ${description}</h4>
${body && html`<p>Body: ${typeOf(body.schema)}${body.schema.maxItems !== undefined && `, at most ${body.schema.maxItems} items`}.</p>${bodyFields(body.schema)}`}
<p class="headers">Headers: ${Object.entries(headers).map(([name, header], index) => [index > 0 && ', ', headerName(name, header)])}</p>
${ownHeaders(headers)}`;
}

const headerName = (name: string, { component }: Header): Markup =>
  component === undefined
    ? html`<code>${name}</code>`
    : html`<a href="#header-${component}"><code>${name}</code></a>`;

/** The headers that mean something special in this response. */
function ownHeaders(headers: Readonly<Record<string, Header>>): Content {
  const own = Object.entries(headers).filter(([, { component }]) => component === undefined);
  if (own.length === 0) return undefined;
  return html`<ul class="own">${own.map(([name, { description }]) => html`<li><code>${name}</code> ${markdown(description)}</li>`)}</ul>`;
}

function errorCodes(status: string, { content = {} }: DescribedResponse): Markup {
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
  return html`<li><span class="status">${status}</span> ${codes.map((code, index) => [
    index > 0 && ', ',
    html`<a href="#error-${code}"><code>${code}</code></a>`,
  ])}</li>`;
}

function examplesOf(operation: DescribedOperation): Markup {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const others = Object.values(content?.examples ?? {}).slice(1);
  return html`${example('Request', curlExample(operation), 'sh')}
${others.map(({ value }) => example('Another body', prettyJson(value)))}
${Object.entries(operation.responses).map(([status, response]) => {
  const [body] = Object.values(response.content ?? {});
  return body?.example !== undefined && example(`Response ${status}`, prettyJson(body.example));
})}`;
}

const example = (title: string, text: string, language = 'json'): Markup =>
  html`<figure><figcaption>${title}</figcaption><pre><code class="language-${language}">${text}</code></pre></figure>`;
