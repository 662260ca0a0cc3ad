import { afterEach } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import {
  type CatalogueSource,
  type CatalogueWriter,
  type CopyResult,
  copyCatalogue,
} from '../../src/transfer/catalogue-copy.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

/** Each engine is once the source and once the target: how one is read does not depend on how the other is written. */
export const PAIRS = ENGINES.map((from, index) => {
  const to = ENGINES.at(index - 1) as Engine;
  return [from.name, to.name, { from, to }] as const;
});

interface CopyHooks {
  /** Wraps the target, to observe or corrupt what is written. */
  readonly writer?: (writer: CatalogueWriter) => CatalogueWriter;
  readonly progress?: (rows: number) => void;
  readonly source?: (source: CatalogueSource) => CatalogueSource;
}

/** Reads the catalogue of a database, which is closed meanwhile. */
export async function withSource<T>(
  source: TestStorage,
  work: (from: CatalogueSource) => Promise<T>,
): Promise<T> {
  await source.database.close();
  const from = await source.database.transfer.openSource();
  try {
    return await work(from);
  } finally {
    await from.close();
    await source.reopen();
  }
}

export async function copyFrom(
  from: CatalogueSource,
  target: Database,
  { writer = (one) => one, progress = () => {}, source = (one) => one }: CopyHooks = {},
): Promise<CopyResult> {
  const to = await target.transfer.openWriter();
  try {
    return await copyCatalogue(source(from), writer(to), progress);
  } finally {
    await to.close();
  }
}

export const copy = (source: TestStorage, target: Database, hooks?: CopyHooks) =>
  withSource(source, (from) => copyFrom(from, target, hooks));

/** Returns a function that opens an empty storage. Each is removed after the test. */
export function storageOpener() {
  const opened: TestStorage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.remove();
  });
  return async (engine: Engine | undefined): Promise<TestStorage> => {
    const storage = await (engine as Engine).open();
    opened.push(storage);
    return storage;
  };
}
