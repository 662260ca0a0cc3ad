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
    const ids = [listPets, createPet, getPet].map((operation) => operation?.operationId);
    expect(ids).toEqual(['listPets', 'createPet', 'getPet']);
    const sunset = { 'x-deprecated-sunset': '2030-12-05', 'x-sunset': '2030-12-05' };
    expect(getPet).toMatchObject({ deprecated: true, ...sunset });
  });

  test('has the parameters of listPets as specified', () => {
    const parameters = Object.fromEntries(
      listPets?.parameters?.map((parameter) => [parameter.name, parameter]) ?? [],
    );
    const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
    expect(parameters['limit']?.schema).toMatchObject(limit);
    expect(parameters['limit']?.required).toBe(false);
    const status = { $ref: '#/components/schemas/PetStatus' };
    expect(parameters['status']).toMatchObject({ required: false, schema: status });
    expect(PetStatus.enum).toEqual(['available', 'pending', 'sold']);
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
