import type { DescribedOperation, ReadDocument } from '../http/document/read-document.ts';
import { separated } from './fields.ts';
import { html, type Markup, markdown } from './html.ts';
import { example } from './operation.ts';
import { scopeOf } from './send-form.ts';

type Operations = readonly DescribedOperation[];

const KEY_VARIABLES = 'export KEY=ask_live_…\nexport AUTH="Authorization: Bearer $KEY"';
const REX = '{"name":"Rex","categoryId":1,"status":"available"}';

/** The beginning: what a newcomer does first, in this order. A test runs the commands. */
export function startSection(
  { servers, info }: ReadDocument,
  operations: Operations,
  baseUrl: string,
) {
  const hasAdditions = operations.some((operation) => operation['x-stability'] !== undefined);
  return html`
<section aria-labelledby="start">${QUESTION}
<h2 id="start"><a href="#start">Start</a></h2>
<div class="columns"><div class="said">
<h3 id="authentication"><a href="#authentication">1. Get an API key</a></h3>
<p>The first start of a service prints a key. The operator creates others with
<code>animal-store keys create --name NAME --scopes SCOPES</code>.${
    hasAdditions &&
    html` A key with the scope <code>keys:admin</code> <a href="#createApiKey">creates others</a>.`
  }</p>
${KEY_FORM}
</div><div class="shown">
<h3 id="servers"><a href="#servers">2. Set the base URL and the key</a></h3>
${example('For all examples on this page', `export STORE=${baseUrl}\n${KEY_VARIABLES}`, 'sh')}
<h3 id="first-request"><a href="#first-request">3. Add the first animal</a></h3>
${example('Request', `curl -H "$AUTH" -H 'Content-Type: application/json' \\\n  -d '${REX}' $STORE/pets`, 'sh')}
${example('Response', `{"id":1,${REX.slice(1)}`)}
<p>Or <a href="#createPet">send it from this page</a>.</p>
</div></div>
${example('List the animals', 'curl -H "$AUTH" $STORE/pets', 'sh')}
${example('Response', `[{"id":1,${REX.slice(1)}]`)}
<ul class="servers">${servers.map(({ url, description }) => html`<li>${description}: <code>${url}</code></li>`)}</ul>
<h3 id="scopes"><a href="#scopes">What each scope allows</a></h3>
<dl class="fields">${[...Map.groupBy(operations, scopeOf)].map(scopeRow)}</dl>
<h3 id="rules"><a href="#rules">What holds for every request</a></h3>
${markdown(info.description)}
${hasAdditions && MARKS}
</section>`;
}

const scopeRow = ([scope, operations]: [string | undefined, Operations]): Markup => html`
<div><dt>${scope === undefined ? 'any scope' : html`<code>${scope}</code>`}</dt>
<dd>${separated(operations.map(({ operationId, summary }) => html`<a href="#${operationId}">${summary}</a>`))}</dd></div>`;

const MARKS = html`<p>What is marked <span class="chip">beta</span> may still change: <a href="docs/changelog">the changelog</a>
announces each change. What is marked <span class="chip waiting">deprecated</span> is removed on the day that its notice names.
Everything else is stable.</p>`;

/** The script asks before a request that removes something. */
const QUESTION = html`
<dialog class="question" aria-labelledby="question"><div>
<h2 id="question">Send this request?</h2>
<p><code></code></p>
<p>It removes something, and cannot be undone.</p>
<form class="actions" method="dialog"><button class="button">Cancel</button>
<button class="button danger" value="send">Send DELETE</button></form>
</div></dialog>`;

/** Hidden until the script shows it. */
const KEY_FORM = html`
<form id="key" hidden aria-label="API key for this page">
<label class="field"><span>API key</span><input class="input" name="key" type="password"
required autocomplete="off" spellcheck="false"></label>
<div class="actions"><button class="button primary" type="submit">Use this key</button>
<button class="button forget" type="button" hidden>Forget the key</button></div>
<p class="facts">The requests that you send from this page use it. The browser keeps it until this tab is closed.</p>
<p class="outcome" role="status"></p>
</form>`;
