import type { PetStatus } from '../../sdk/src/index.ts';
import { TEXTS } from '../texts.ts';

const LOOKS = { available: 'good', pending: 'waiting', sold: '', unset: 'none' } as const;

export function PetStatusChip({ status }: { readonly status: PetStatus | undefined }) {
  return (
    <span className={`chip ${LOOKS[status ?? 'unset']}`}>{TEXTS.petStatus[status ?? 'unset']}</span>
  );
}
