/** Times of RFC 3339: one parser for bodies, queries and the command line. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { operationsOf } from '../../src/app.ts';
import { parseExpiry } from '../../src/cli/arguments.ts';
import { parseTime } from '../../src/clock.ts';
import { DOCUMENT, operationsIn } from '../support/openapi-document.ts';
import { useService } from '../support/service.ts';

/** Texts and the same times as the runtime spells them. */
const TIMES: readonly (readonly [string, string])[] = [
  ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31t12:00:00z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31t12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
  ['2030-01-31T12:00:00z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31t12:00:00+01:30', '2030-01-31T10:30:00.000Z'],
  ['2030-01-31T12:00:00-23:59', '2030-02-01T11:59:00.000Z'],
  ['2030-01-31T12:00:00-00:00', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00.0570000Z', '2030-01-31T12:00:00.057Z'],
  ['2030-01-31T12:00:00.0570001Z', '2030-01-31T12:00:00.058Z'],
  ['2030-01-31T23:59:59.9999Z', '2030-02-01T00:00:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  // The leap seconds that are examples in RFC 3339 §5.8, and one with a fraction.
  ['1990-12-31T23:59:60Z', '1991-01-01T00:00:00.000Z'],
  ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
  ['2030-06-30t23:59:60.25z', '2030-07-01T00:00:00.250Z'],
];

const NO_TIMES = [
  '2030-01-31 12:00:00Z',
  '2030-01-31T12:00Z',
  '2030-01-31T12:00:00',
  '2030-01-31T12:00:00+01',
  '2030-01-31T12:00:00+0100',
  '2030-01-31T12:00:00+24:00',
  '2030-01-31T12:00:00+01:60',
  '2030-01-31T24:00:00Z',
  '2030-01-31T12:60:00Z',
  '2030-01-31T12:00:61Z',
  '2030-01-31T12:00:60Z',
  '2030-01-31T12:59:60Z',
  '2030-01-30T23:59:60Z',
  '2030-01-31T23:59:60+01:00',
  '2030-01-31T12:00:00.Z',
  '2030-01-31T12:00:00,5Z',
  '2030-02-29T12:00:00Z',
  '2030-13-01T12:00:00Z',
  '2030-00-01T12:00:00Z',
  '+002030-01-31T12:00:00Z',
  ' 2030-01-31T12:00:00Z',
  '2030-01-31T12:00:00Z ',
  '２030-01-31T12:00:00Z',
];

const NOW = Date.parse('1980-01-01T00:00:00Z');

describe('a time', () => {
  test.each(TIMES)('%s is %s, also for --expires', (text, iso) => {
    expect(parseTime(text)).toBe(Date.parse(iso));
    expect(parseExpiry(text, NOW)).toBe(Date.parse(iso));
  });

  test.each(NO_TIMES)('%j is none, also for --expires', (text) => {
    expect(parseTime(text)).toBeUndefined();
    expect(() => parseExpiry(text, NOW)).toThrow(/^--expires must be a duration/);
  });

  test('that the runtime spells is read as it is', () => {
    const noInvalidDate = true;
    const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')];
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate }), (date) => {
        expect(parseTime(date.toISOString())).toBe(date.getTime());
      }),
    );
  });
});

describe('over HTTP', () => {
  const service = useService();

  const parameters = operationsIn(DOCUMENT).flatMap(({ path, parameters = [] }) =>
    parameters
      .filter(({ in: place, schema }) => place === 'query' && schema.format === 'date-time')
      .map(({ name }) => [name, path] as const),
  );

  test('four parameters are times', () => expect(parameters).toHaveLength(4));

  test.each(parameters)('the parameter %s of %s reads the same times', async (name, path) => {
    const statusOf = async (text: string) =>
      (await service.request('GET', `/v1${path}?${name}=${encodeURIComponent(text)}`)).status;
    for (const [text] of TIMES) expect([text, await statusOf(text)]).toEqual([text, 200]);
    for (const text of NO_TIMES) expect([text, await statusOf(text)]).toEqual([text, 400]);
  });

  test.each(['/v1/api-keys', '/v1/api-keys/{keyId}/rotate'])(
    'expiresAt of POST %s reads the same times',
    async (template) => {
      const expiring = operationsOf(true).filter(
        ({ operation: { body } }) => body !== undefined && 'expiresAt' in body.schema.shape,
      );
      expect(expiring.map(({ operation: { path } }) => `/v1${path}`)).toContain(template);
      expect(expiring).toHaveLength(2);
      service.clock.set(NOW);
      const create = async (expiresAt: string) => {
        const { key } = await service.issueKey();
        const body = { name: 'a', expiresAt, gracePeriodSeconds: 0 };
        return service.request('POST', template.replace('{keyId}', String(key.id)), { body });
      };
      for (const [text, iso] of TIMES)
        expect((await create(text)).json).toMatchObject({ expiresAt: iso });
      for (const text of NO_TIMES) expect((await create(text)).code).toBe('validation_failed');
    },
  );
});
