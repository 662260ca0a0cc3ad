/** Text that is HTML already. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Content = Markup | string | number | bigint | undefined | false | readonly Content[];

/** Writes HTML. Each inserted value is escaped unless it is markup; undefined and false insert nothing. */
export const html = (parts: TemplateStringsArray, ...values: readonly Content[]): Markup =>
  new Markup(String.raw({ raw: parts }, ...values.map(render)));

function render(content: Content): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(render).join('');
  return Bun.escapeHTML(String(content));
}

/** Renders Markdown of ours: descriptions of the OpenAPI document, and the guides. */
export const markdown = (text: string): Markup =>
  new Markup(Bun.markdown.html(text, { headings: true, noHtmlBlocks: true }));
