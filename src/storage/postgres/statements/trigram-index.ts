import { foldText } from '../../../fold-text.ts';
import type { Run } from '../transactions/transactions.ts';

/**
 * The index of trigrams. A migration creates it if it can: that needs the extension pg_trgm. Without it, searches are slow and
 * complete.
 */
export const TRIGRAM_INDEX = 'pets_by_trigrams';

/** As the migration creates it. @param extensionSchema the quoted schema of the extension. */
export const createTrigramIndex = (extensionSchema: string): string =>
  `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${TRIGRAM_INDEX} ON animal_store.pets
    USING gin (folded_name ${extensionSchema}.gin_trgm_ops) WHERE folded_name IS NOT NULL`;

export interface TrigramIndex {
  /** The quoted schema of the extension; null if it is not installed. */
  readonly schema: string | null;
  /** Whether the role may call its functions. */
  readonly isCallable: boolean;
  readonly state: 'missing' | 'invalid' | 'valid';
  /** The locale that says which characters are letters. */
  readonly ctype: string;
}

const SELECT_INDEX = `SELECT quote_ident(nspname) AS schema,
    coalesce(has_schema_privilege(pg_namespace.oid, 'USAGE'), false) AS "isCallable",
    CASE WHEN indisvalid THEN 'valid' WHEN indisvalid IS NULL THEN 'missing' ELSE 'invalid' END AS state, datctype AS ctype
  FROM pg_database
    LEFT JOIN pg_extension ON extname = 'pg_trgm' LEFT JOIN pg_namespace ON pg_namespace.oid = extnamespace
    LEFT JOIN pg_index ON indexrelid = to_regclass('animal_store.${TRIGRAM_INDEX}')
  WHERE datname = current_database()`;

/** The extension and the index as they are. */
export async function readTrigramIndex(run: Run): Promise<TrigramIndex> {
  const [index] = await run<TrigramIndex>(SELECT_INDEX);
  if (index === undefined) throw new Error('The server returned no row.');
  return index;
}

export const NO_EXTENSION = 'the extension pg_trgm is not installed';

/** Words of three letters when they are folded, by script. */
const WORDS: Readonly<Record<string, string>> = {
  'Latin beyond ASCII': 'łøß',
  Greek: 'σκυ',
  Cyrillic: 'кот',
  Hebrew: 'חתו',
  Arabic: 'قطة',
  Thai: 'แมว',
  Devanagari: 'बिल',
  Hangul: '강',
  Han: '犬小屋',
  Kana: 'ねこさ',
};

/** Why an index does not serve all searches, as a clause; undefined if it does. */
export async function searchObstacle(run: Run): Promise<string | undefined> {
  const { schema, isCallable, state, ctype } = await readTrigramIndex(run);
  if (schema === null) return NO_EXTENSION;
  if (state !== 'valid') return `the index ${TRIGRAM_INDEX} is ${state}`;
  if (!isCallable) return undefined;
  const words = Object.values(WORDS).map((word, index) => `(${index}, '${foldText(word)}')`);
  const rows = await run<{ index: number }>(
    `SELECT index FROM (VALUES ${words.join()}) AS words (index, word)
    WHERE cardinality(${schema}.show_trgm(word)) <> 4 ORDER BY index`,
  );
  const scripts = Object.keys(WORDS);
  const unknown = rows.map(({ index }) => scripts[index]).join(', ');
  if (unknown === '') return undefined;
  return `the database has the LC_CTYPE ${ctype}, which has no letters of these scripts: ${unknown}`;
}
