/** A path with an id that no resource has, or that is no id, is 404: for every operation on one resource. */
import { describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const NOT_FOUND: Readonly<Record<string, string>> = {
  petId: 'pet_not_found',
  categoryId: 'category_not_found',
  orderId: 'order_not_found',
  keyId: 'key_not_found',
  endpointId: 'webhook_endpoint_not_found',
  deliveryId: 'webhook_delivery_not_found',
};

/** Integers that no resource has, and texts that are no integer in canonical digits. */
const UNKNOWN = ['99999999', '0', '-1', '9007199254740993', '9223372036854775807'];
const NO_ID = ['abc', '1.0', '01', '-0', '1e0', '9223372036854775808', '%2531', '%20', '%zz'];

const operations = operationsOf(true).flatMap(({ operation: { id, method, path, body } }) => {
  const parameter = /\{(\w+)\}/.exec(path)?.[1];
  const [example] = Object.values(body?.examples ?? {});
  return parameter === undefined ? [] : [{ id, method, path, parameter, example }];
});

describe.each(operations)('$id: $method $path', ({ id, method, path, parameter, example }) => {
  // putCategory creates the category of an unknown id.
  test.each(id === 'putCategory' ? NO_ID : [...UNKNOWN, ...NO_ID])(
    `is 404 for %s`,
    async (text) => {
      const target = `/v1${path.replace(`{${parameter}}`, text)}`;
      const { json } = await service.request(method.toUpperCase(), target, {
        ...(example !== undefined && { body: renderExactJson(example) }),
      });
      expect(json).toMatchObject({ code: NOT_FOUND[parameter], status: 404 });
    },
  );
});
