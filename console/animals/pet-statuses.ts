import type { PetStatus } from '../../sdk/src/index.ts';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const satisfies PetStatus[];
