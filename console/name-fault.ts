import { TEXTS } from './texts.ts';

const MAX_LENGTH = 255;

/** What is wrong with a name, by the rules of the service. It counts Unicode code points. */
export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return TEXTS.common.nameMissing;
  return [...name].length > MAX_LENGTH ? TEXTS.common.nameLong : undefined;
}
