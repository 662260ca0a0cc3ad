import { renderExactJson } from '../http/exact-json.ts';
import type { Pet } from '../pets/pet.ts';
import type { Format } from './read-rows.ts';

export type ExportFormat = Exclude<Format, 'json'>;
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const satisfies readonly ExportFormat[];

/** Renders animals as text, a batch at a time: reading it back gives the same animals. */
export function* renderPets(
  batches: Iterable<readonly Pet[]>,
  format: ExportFormat,
): Generator<string> {
  if (format === 'csv') yield 'id,name,categoryId,status\n';
  const render = format === 'csv' ? toCsvLine : (pet: Pet) => `${renderExactJson(pet)}\n`;
  for (const batch of batches) yield batch.map(render).join('');
}

const toCsvLine = ({ id, name, categoryId, status }: Pet): string =>
  `${id},${quoteCsv(name)},${categoryId},${status ?? ''}\n`;

/** RFC 4180: quoted where it must be. */
const quoteCsv = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
