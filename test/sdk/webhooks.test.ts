/** The SDK verifies and signs as Standard Webhooks says, and as two public packages do. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import {
  type PetEvent,
  renderJson,
  testWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '../../sdk/src/index.ts';
import { anyCharacter } from '../support/arbitraries.ts';

const NOW = Date.UTC(2027, 0, 1, 12);
const [SECRET, OTHER] = ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'A'.repeat(32)].map(
  (base64) => `whsec_${base64}`,
) as [string, string];
const LARGEST = 2n ** 63n - 1n;
const SOLD: PetEvent = {
  ...{ id: '5f0c9a17-41', type: 'pet.updated', subject: `pets/${LARGEST}` },
  ...{ timestamp: '2027-01-01T12:00:00.000Z', actor: { keyId: 3, keyName: 'Köln 🦈' } },
  data: { id: LARGEST, name: 'Hai 🦈 \u2028', categoryId: -(2n ** 63n), status: 'sold' },
  previous: { status: 'available' },
};
const now = () => NOW;

/** A request, changed. */
async function requestWith(changes: { body?: string; [header: string]: string | undefined } = {}) {
  const { body, ...headers } = changes;
  const request = await testWebhook(SOLD, SECRET, { now });
  return { body: body ?? request.body, headers: { ...request.headers, ...headers } };
}
const verify = async (changes?: Parameters<typeof requestWith>[0], secrets: unknown = SECRET) => {
  const { body, headers } = await requestWith(changes);
  return verifyWebhook(body, headers, secrets as string, { now });
};
const secondsFromNow = (seconds: number) => String(NOW / 1_000 + seconds);

/** Signs as the specification says, whatever the body. */
const signedBy = (secret: string, body: string, seconds = 0) => {
  const at = new Date(NOW + seconds * 1_000);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': secondsFromNow(seconds),
    'webhook-signature': new StandardWebhook(secret).sign('msg_1', at, body),
  };
};

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('with %s', (_name, Webhook) => {
  // The package reads the time of the process.
  beforeAll(() => setSystemTime(NOW));
  afterAll(() => setSystemTime());

  test('what it signs is verified, whatever the secret, the id and the body', async () => {
    const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 });
    const [ids, texts] = [fc.stringMatching(/^[\w.-]{1,30}$/), fc.string({ unit: anyCharacter })];
    await fc.assert(
      fc.asyncProperty(secrets, ids, texts, async (bytes, id, text) => {
        const secret = `whsec_${Buffer.from(bytes).toString('base64')}`;
        const body = renderJson({ type: text });
        const signature = new Webhook(secret).sign(id, new Date(NOW), body);
        const headers = {
          ...{ 'webhook-id': id, 'webhook-timestamp': secondsFromNow(0) },
          'webhook-signature': signature,
        };
        expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
      }),
    );
  });

  test('what a test signs is verified by it', async () => {
    const { body, headers } = await testWebhook(SOLD, SECRET);
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(OTHER).verify(body, headers)).toThrow('No matching signature');
  });
});

describe('a request is verified', () => {
  test('with exact integers in each representation', async () => {
    const { body, headers } = await requestWith();
    expect(body).toContain('"id":9223372036854775807,');
    const read = (int64: 'auto' | 'bigint' | 'string') =>
      verifyWebhook(body, headers, SECRET, { int64, now });
    expect(await read('auto')).toEqual(SOLD);
    expect(await read('bigint')).toEqual({ ...SOLD, actor: { ...SOLD.actor, keyId: 3n } });
    const texts = await read('string');
    expect(texts).toMatchObject({ data: { id: `${LARGEST}`, categoryId: `${-(2n ** 63n)}` } });
    expect((await testWebhook(texts, SECRET, { now })).body).toBe(body);
    await expect(verifyWebhook(body, headers, SECRET, { int64: 'number', now })).rejects.toThrow(
      `The body cannot be read: id: ${LARGEST} is not a safe integer`,
    );
  });

  test('from text, bytes and buffers, with headers of each kind', async () => {
    // The id of a test, which is a text although it looks like an integer.
    const sold = { ...SOLD, id: '7' };
    const { body, headers } = await testWebhook(sold, SECRET, { now });
    const bytes = new TextEncoder().encode(body);
    const bodies = [body, bytes, Buffer.from(body), bytes.buffer];
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const kinds = [headers, new Headers(headers), Object.fromEntries(upper)];
    for (const one of bodies)
      for (const kind of kinds)
        expect(await verifyWebhook(one, kind, SECRET, { now })).toEqual(sold);
  });

  test('if one of several secrets has signed, and among several signatures', async () => {
    expect(await verify({}, [OTHER, SECRET])).toEqual(SOLD);
    const { headers } = await requestWith();
    const signatures = ['v1,AAAA', 'v2,AAAA', headers['webhook-signature']].join(' ');
    expect(await verify({ 'webhook-signature': signatures })).toEqual(SOLD);
  });

  test.each([-300, 300])('if its time is %d seconds from now', async (seconds) => {
    const headers = signedBy(SECRET, '{}', seconds);
    expect(await verifyWebhook('{}', headers, SECRET, { now })).toEqual({} as never);
  });
});

describe('a request is refused', () => {
  const refused = async (result: Promise<unknown>, message: string) => {
    const error = await result.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(String(error)).toStartWith(`WebhookVerificationError: ${message}`);
  };

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'without %s',
    async (name) => {
      for (const value of [undefined, ''])
        await refused(verify({ [name]: value }), `${name}: The header is missing.`);
    },
  );

  test.each(['now', '-1', '1e9', '0x1', ' '])('if its time is %p', (time) =>
    refused(
      verify({ 'webhook-timestamp': time }),
      'webhook-timestamp: must be within five minutes',
    ),
  );

  test.each([-301, 301])('if its time is %d seconds from now', async (seconds) => {
    const headers = signedBy(SECRET, '{}', seconds);
    await refused(verifyWebhook('{}', headers, SECRET, { now }), 'webhook-timestamp: must be');
  });

  test('if any part of what was signed is another one', async () => {
    const { body, headers } = await requestWith();
    const signature = headers['webhook-signature'] ?? '';
    const [first, other] = [signature.charAt(3), signature.charAt(3) === 'A' ? 'B' : 'A'];
    const changes: readonly Parameters<typeof verify>[0][] = [
      { body: body.replace('sold', 'Sold') },
      { body: `${body} ` },
      { body: '' },
      { 'webhook-id': '5f0c9a17-42' },
      { 'webhook-timestamp': secondsFromNow(1) },
      { 'webhook-signature': signature.replace(`v1,${first}`, `v1,${other}`) },
      { 'webhook-signature': signature.slice(0, -1) },
      { 'webhook-signature': `${signature}=` },
      { 'webhook-signature': signature.slice(3) },
      { 'webhook-signature': signature.replace('v1', 'v1a') },
      { 'webhook-signature': signature.replace('v1', 'w1') },
    ];
    for (const change of changes)
      await refused(verify(change), 'webhook-signature: No signature matches.');
    await refused(verify({}, OTHER), 'webhook-signature: No signature matches.');
  });

  test('if its body is not JSON', () =>
    refused(
      verifyWebhook('Hi', signedBy(SECRET, 'Hi'), SECRET, { now }),
      'The body cannot be read: ',
    ));
});

describe('a mistake of the program is a TypeError', () => {
  const [text, empty] = ['A secret must be whsec_ and base64.', 'secrets must not be empty.'];
  test.each<[unknown, string]>([
    [undefined, text],
    ['', text],
    ['whsec_', text],
    ['whsec_AAAA\n', text],
    ['whsec_!!!!', text],
    [SECRET.slice(6), text],
    [[], empty],
    [[SECRET, undefined], text],
  ])('with the secret %p', async (secrets, message) => {
    // Not through a default value, which undefined would choose.
    const { body, headers } = await requestWith();
    const verified = verifyWebhook(body, headers, secrets as string, { now });
    await expect(verified).rejects.toThrow(new TypeError(message));
  });

  test('with a parsed body or an unknown option', async () => {
    const { body, headers } = await requestWith();
    const parsed = verifyWebhook(JSON.parse(body), headers, SECRET);
    await expect(parsed).rejects.toThrow(
      new TypeError('rawBody must be the body as it was received. Parsed JSON has other bytes.'),
    );
    const options: object = { tolerance: 9 };
    const message = 'tolerance is not an option here. Allowed: int64, now.';
    await expect(verifyWebhook(body, headers, SECRET, options)).rejects.toThrow(message);
    await expect(testWebhook(SOLD, SECRET, options)).rejects.toThrow('Allowed: now.');
    await expect(testWebhook(SOLD, 'secret')).rejects.toThrow(new TypeError(text));
  });
});
