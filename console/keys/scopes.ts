import type { Scope } from '../../sdk/src/index.ts';
import { TEXTS } from '../texts.ts';

/** All scopes, in the order of the form. A scope without a text does not compile. */
export const SCOPES = Object.keys(
  TEXTS.keys.scopeMeaning satisfies Record<Scope, string>,
) as Scope[];

/** Who uses a key, and the scopes for that. */
export const PRESETS = {
  counter: ['pets:read', 'pets:write', 'orders:read', 'orders:write', 'events:read'],
  manager: SCOPES,
  webShop: ['pets:read', 'orders:read', 'orders:write'],
  readOnly: ['pets:read', 'orders:read', 'events:read'],
} as const satisfies Readonly<Record<keyof typeof TEXTS.keys.presets, readonly Scope[]>>;

export type Preset = keyof typeof PRESETS;

/** The preset with exactly these scopes. Undefined if there is none. */
export const presetOf = (scopes: readonly Scope[]): Preset | undefined =>
  (Object.keys(PRESETS) as Preset[]).find(
    (preset) => [...PRESETS[preset]].sort().join() === [...scopes].sort().join(),
  );
