/** An answer with its body read: `json` exactly (see exact-json.ts), undefined where the body is no JSON. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}
