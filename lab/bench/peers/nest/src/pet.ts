import { z } from 'zod';

const PetStatus = z.enum(['available', 'pending', 'sold']);

export interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status?: string;
}

export type NewPet = z.infer<typeof NewPet>;
export const NewPet = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.int(),
  status: PetStatus.optional(),
});

export type ListQuery = z.infer<typeof ListQuery>;
export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  after: z.coerce.number().int().min(0).default(0),
  status: PetStatus.optional(),
});
