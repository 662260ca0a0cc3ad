import type { DescribedOperation, Parameter } from '../http/document/read-document.ts';
import { bodyOf } from './examples.ts';
import { html, type Markup } from './html.ts';

/** The scope that an API key needs for an operation. Undefined: every valid key may call it. */
export const scopeOf = ({ description }: DescribedOperation): string | undefined =>
  /Needs the scope `([^`]+)`/.exec(description)?.[1];

/** A form that sends an operation. Hidden until the script of `reference/` shows it. */
export function sendForm(operation: DescribedOperation): Markup {
  const { method, path, summary, parameters = [] } = operation;
  const [mediaType, body = ''] = bodyOf(operation);
  const headers = parameters.filter((parameter) => parameter.in === 'header');
  const others = parameters.filter((parameter) => parameter.in !== 'header');
  return html`
<form class="send" hidden aria-label="Send: ${summary}"
data-method="${method}" data-path="${path}" data-scope="${scopeOf(operation)}">
<p class="may" hidden></p>
${others.length > 0 && html`<div class="inputs">${others.map(input)}</div>`}
${
  mediaType &&
  html`<label class="field"><span>Body</span><textarea class="input" name="body" data-type="${mediaType}"
rows="${body.split('\n').length + 1}" spellcheck="false">${body}</textarea></label>`
}
${headers.length > 0 && html`<details><summary>Headers</summary><div class="inputs">${headers.map(input)}</div></details>`}
<div class="actions"><button class="button primary" type="submit">Send</button>
<button class="button cancel" type="button" hidden>Cancel</button></div>
<p class="outcome" role="status"></p>
<div class="exchange"></div>
</form>`;
}

/** The name of an input says where its value goes, such as `path.petId`. */
function input({ name, in: place, schema, required, example }: Parameter): Markup {
  const isList = schema.type === 'array';
  const attributes = html`class="input" name="${isList ? 'list' : place}.${name}"${required && html` required`}`;
  const choices = schema.enum?.map((value) => html`<option>${value}</option>`);
  return html`<label class="field"><span>${name}${isList && ', separated by commas'}</span>${
    choices
      ? html`<select ${attributes}><option></option>${choices}</select>`
      : html`<input ${attributes} placeholder="${String(example ?? '')}" autocomplete="off" spellcheck="false">`
  }</label>`;
}
