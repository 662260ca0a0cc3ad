import {
  componentOf,
  type DescribedOperation,
  type DocumentedResponse,
} from '../http/document/read-document.ts';
import { asText, curlExample } from './examples.ts';
import { bodyFields, fieldList, parameterFields, separated, typeOf } from './fields.ts';
import { type Content, html, type Markup, markdown } from './html.ts';
import { sendForm } from './send-form.ts';

/** An operation. On the left is what to send and what is returned. On the right are examples, and a form that sends it. */
export function describeOperation(operation: DescribedOperation): Markup {
  const { operationId, summary, description, parameters = [] } = operation;
  const placed = Map.groupBy(parameterFields(parameters, operationId), ({ place }) => place);
  const responses = Object.entries(operation.responses);
  const { errors = [], successes = [] } = Object.groupBy(responses, ([status]) =>
    status < '400' ? 'successes' : 'errors',
  );
  return html`
<article id="${operationId}">
<h3><a href="#${operationId}">${summary}</a> ${marks(operation)}</h3>
<p class="route">${methodMark(operation.method)} <code>${operation.path}</code></p>
<div class="columns"><div class="said">
${markdown(description)}
${deprecationOf(operation)}
${[...placed].map(([place, fields]) => html`<h4>${PLACES[place]}</h4>${fieldList(fields)}`)}
${requestBody(operation)}
${successes.map(([status, response]) => success(status, response, operationId))}
<h4>Errors</h4>
<ul class="errors">${errors.map(errorCodes)}</ul>
</div><div class="shown">
${example('Request', curlExample(operation), 'sh')}
${sendForm(operation)}
${moreExamples(operation)}
</div></div>
</article>`;
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

export const methodMark = (method: string): Markup =>
  html`<span class="method ${method}">${method}</span>`;

const marks = ({ deprecated, ...operation }: DescribedOperation): Content => [
  operation['x-stability'] && html`<span class="chip">${operation['x-stability']}</span>`,
  deprecated && html`<span class="chip waiting">deprecated</span>`,
];

const deprecationOf = ({ deprecated, ...operation }: DescribedOperation): Content =>
  deprecated &&
  html`<p><b>This operation is deprecated.</b> From ${operation['x-sunset']} on it responds with 410 <code>operation_removed</code>.</p>`;

function requestBody({ operationId, requestBody }: DescribedOperation): Content {
  const { content = {} } = requestBody ?? {};
  const [body] = Object.values(content);
  const types = Object.keys(content).map((type) => html`<code>${type}</code>`);
  if (body === undefined) return undefined;
  return html`<h4>Request body</h4>
<p>${separated(types, ' or ')}. ${body.schema.description}</p>
${fieldList(bodyFields(body.schema, `${operationId}.body`))}`;
}

function success(status: string, response: DocumentedResponse, id: string): Markup {
  const { description, content = {}, headers = {} } = response;
  const [{ schema } = {}] = Object.values(content);
  const { shared = [], own = [] } = Object.groupBy(Object.entries(headers), ([, header]) =>
    componentOf(header) === undefined ? 'own' : 'shared',
  );
  const links = shared.map(
    ([name, header]) => html`<a href="#header-${componentOf(header)}"><code>${name}</code></a>`,
  );
  return html`<h4><span class="status">${status}</span> ${description}</h4>
${schema && html`<p>Body: ${typeOf(schema)}${schema.maxItems !== undefined && `, at most ${schema.maxItems} items`}.</p>`}
${schema && fieldList(bodyFields(schema, `${id}.${status}`))}
<p class="headers">Headers: ${separated(links)}</p>
${own.map(([name, { description }]) => html`<div><code>${name}</code> ${markdown(description)}</div>`)}`;
}

function errorCodes([status, { content = {} }]: readonly [string, DocumentedResponse]): Markup {
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
  const links = codes.map((code) => html`<a href="#error-${code}"><code>${code}</code></a>`);
  return html`<li><span class="status">${status}</span> ${separated(links)}</li>`;
}

/** The other bodies, and what is returned. */
function moreExamples({ requestBody, responses }: DescribedOperation): Content {
  const [content] = Object.values(requestBody?.content ?? {});
  const others = Object.values(content?.examples ?? {}).slice(1);
  const returned = Object.entries(responses).map(([status, { content = {} }]) => {
    const [body] = Object.values(content);
    return body?.example !== undefined && example(`Response ${status}`, asText(body.example));
  });
  return [others.map(({ value }) => example('Another body', asText(value))), returned];
}

/** An example under its title. */
export const example = (title: string, text: string, language = 'json'): Markup =>
  html`<figure><figcaption>${title}</figcaption><pre><code class="language-${language}">${text}</code></pre></figure>`;
