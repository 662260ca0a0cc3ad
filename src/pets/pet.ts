import {
  enumField,
  inOrderOf,
  int64Field,
  nameField,
  unchangedIdField,
} from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export const PetStatus = enumField(PET_STATUSES).openapi('PetStatus', {
  description: 'Availability of an animal.',
});
export type PetStatus = z.infer<typeof PetStatus>;

const name = nameField("The animal's name.");
const categoryId = int64Field('Identifier of the category the animal belongs to.');

const newPetFields = { name, categoryId, status: PetStatus.optional() };

export const NewPet = z.object(newPetFields, { error: 'must be an object' }).openapi('NewPet', {
  description: 'An animal to add.',
});
export type NewPet = z.infer<typeof NewPet>;

export const Pet = z
  .object({
    id: int64Field('Unique identifier, assigned by the service and never reused.'),
    ...newPetFields,
  })
  .openapi('Pet', { description: 'An animal of the catalogue.' });
export type Pet = z.infer<typeof Pet>;

const petPatchFields = {
  id: unchangedIdField,
  name: name.optional(),
  categoryId: categoryId.optional(),
  status: z
    .union([PetStatus, z.null()], { error: `must be one of ${PET_STATUSES.join(', ')}` })
    .optional()
    .openapi({ description: 'Availability of the animal; null removes it.' }),
} satisfies Record<keyof Pet, z.ZodType>;

export const PetPatch = z.object(petPatchFields).openapi('PetPatch', {
  description: 'A merge patch of an animal (RFC 7396).',
});
export type PetPatch = z.infer<typeof PetPatch>;

const inOrder = inOrderOf(Pet);

/** Applies a merge patch to an animal: null removes a field. */
export const patched = (pet: Pet, patch: PetPatch): Pet => inOrder({ ...pet, ...patch });
