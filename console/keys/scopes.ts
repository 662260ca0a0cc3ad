import type { Scope } from '../../sdk/src/index.ts';
import { TEXTS } from '../texts.ts';

export type { Scope };

/** All scopes, in the order of the form. A scope without a text does not compile. */
export const SCOPES = Object.keys(
  TEXTS.keys.scopeMeaning satisfies Record<Scope, string>,
) as Scope[];
