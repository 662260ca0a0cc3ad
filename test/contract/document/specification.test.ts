/** The OpenAPI document describes the three specified operations as the specification does. */
import { describe, expect, test } from 'bun:test';
import document from '../../../openapi.json' with { type: 'json' };
import { DOCUMENT, operationsIn } from '../../support/openapi-document.ts';

const [listPets, createPet, getPet] = ['listPets', 'createPet', 'getPet'].map((id) =>
  operationsIn(DOCUMENT).find(({ operationId }) => operationId === id),
);
const { NewPet, Pet, PetStatus, Error: ErrorBody } = document.components.schemas;

describe('the document', () => {
  test('has the specified operations, and getPet as deprecated with its sunset', () => {
    expect([listPets, createPet, getPet].map((operation) => operation?.operationId)).toEqual([
      'listPets',
      'createPet',
      'getPet',
    ]);
    expect(getPet).toMatchObject({
      deprecated: true,
      'x-deprecated-sunset': '2030-12-05',
      'x-sunset': '2030-12-05',
    });
  });

  test('has the parameters of listPets as specified, and the added ones as beta', () => {
    const parameters = Object.fromEntries(
      listPets?.parameters?.map((parameter) => [parameter.name, parameter]) ?? [],
    );
    expect(parameters['limit']?.schema).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
    });
    expect(parameters['limit']?.required).toBe(false);
    expect(parameters['status']).toMatchObject({
      required: false,
      schema: { $ref: '#/components/schemas/PetStatus' },
    });
    expect(PetStatus.enum).toEqual(['available', 'pending', 'sold']);
    for (const name of ['cursor', 'id']) {
      expect(parameters[name]).toMatchObject({
        required: false,
        'x-stability': 'beta',
        'x-stability-level': 'beta',
      });
    }
  });

  test('has NewPet, Pet and Error as specified', () => {
    expect(NewPet.required).toEqual(['name', 'categoryId']);
    expect(Pet.required).toEqual(['id', 'name', 'categoryId']);
    expect(Pet.properties.id).toMatchObject({ type: 'integer', format: 'int64' });
    expect(Pet.properties.categoryId).toMatchObject({ type: 'integer', format: 'int64' });
    expect(ErrorBody.required).toEqual(['code', 'message', 'status']);
    expect(Object.keys(ErrorBody.properties)).toEqual(['code', 'message', 'status']);
  });
});
