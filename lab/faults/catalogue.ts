import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '../../test/support/process.ts';
import type { Environment } from './environment.ts';

const ATTEMPTS = 10;

/** Reads the names of all animals by id over HTTP, page by page. */
export async function readAll({ origin, key }: Environment): Promise<Map<number, string>> {
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

/** Retries a 503 because the service may still detect dead connections. */
async function readPage(url: string, key: string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, bearer(key));
    if (response.status === 200) return response;
    if (response.status !== 503 || attempt === ATTEMPTS) {
      throw new Error(`Reading a page failed with ${response.status}: ${await response.text()}`);
    }
    await sleep(100);
  }
}
