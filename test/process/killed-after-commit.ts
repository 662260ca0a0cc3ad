/**
 * Serves the catalogue in a file, and kills itself with SIGKILL after the commit of a creation,
 * before the response. Run by killed-after-commit.test.ts.
 */
import { createKeyring } from '../../src/cli/keys.ts';
import { systemClock } from '../../src/clock.ts';
import { readConfig, type SettingName } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { startServer } from '../../src/server/server.ts';
import type { Database } from '../../src/storage/database.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';

const [path = ''] = process.argv.slice(2);

const isCreation = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'status' in result && result.status === 201;

const real = openSqlite(path);
const database: Database = {
  ...real,
  async write(cause, work) {
    const result = await real.write(cause, work);
    if (isCreation(result)) {
      process.kill(process.pid, 'SIGKILL');
      await new Promise<never>(() => {});
    }
    return result;
  },
};

const names = Object.keys(SETTINGS) as SettingName[];
const { baseUrl } = startServer(readConfig(names, { port: '0' }, {}), {
  database,
  keyring: createKeyring('production'),
  observe: () => {},
  clock: systemClock,
  generateRequestId: () => crypto.randomUUID(),
});
process.stderr.write(`This process serves ${baseUrl} from ${path}.\n`);
