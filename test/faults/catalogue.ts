import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '../support/process.ts';
import type { Stage } from './stage.ts';

const ATTEMPTS = 10;

/** The names of all animals by id, read over HTTP page by page. */
export async function readAll({ origin, key }: Stage): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  let url: string | undefined = `${origin}/v1/pets?limit=100`;
  while (url !== undefined) {
    const response: Response = await readPage(url, key);
    const page = (await response.json()) as { id: number; name: string }[];
    for (const { id, name } of page) names.set(id, name);
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return names;
}

/** A connection for reading may still turn out to be dead: then the page is asked for again. */
async function readPage(url: string, key: string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, bearer(key));
    if (response.status === 200) return response;
    if (response.status !== 503 || attempt === ATTEMPTS) {
      throw new Error(`A page was answered with ${response.status}: ${await response.text()}`);
    }
    await sleep(100);
  }
}
