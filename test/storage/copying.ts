import { afterEach } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import {
  type CatalogueSource,
  type CatalogueWriter,
  type CopyResult,
  copyCatalogue,
} from '../../src/transfer/catalogue-copy.ts';
import type { Engine } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

interface CopyHooks {
  /** Wraps the target, to observe or corrupt what is written. */
  readonly writer?: (writer: CatalogueWriter) => CatalogueWriter;
  readonly progress?: (rows: number) => void;
  readonly source?: (source: CatalogueSource) => CatalogueSource;
}

/** Copies the catalogue of one database into another, and opens the first one again. */
export async function copy(
  source: TestStorage,
  target: Database,
  { writer = (one) => one, progress = () => {}, source: wrap = (one) => one }: CopyHooks = {},
): Promise<CopyResult> {
  await source.database.close();
  const from = wrap(await source.database.transfer.openSource());
  try {
    const to = await target.transfer.openWriter();
    try {
      return await copyCatalogue(from, writer(to), progress);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
    await source.reopen();
  }
}

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
