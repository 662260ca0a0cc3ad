/** The upgrade of docs/upgrade.md, from the last commit with the previous schema to this one. */
import { readdirSync } from 'node:fs';
import type { Preparation } from '../../test/process/handbook-session.ts';
import { ROOT, runProgram } from '../../test/support/process.ts';

const MIGRATIONS = 'src/storage/sqlite/schema/migrations';

/** The migration of the newest schema, as a file of the repository. */
const NEWEST_SCHEMA = `${MIGRATIONS}/${readdirSync(ROOT + MIGRATIONS)
  .sort()
  .at(-1)}`;

/** The last commit with the previous schema, undefined in a copy without history. */
async function commitBefore(path: string): Promise<string | undefined> {
  const args = ['log', '--diff-filter=A', '--format=%H^', '--', path];
  const { stdout } = await runProgram(['git', ...args]);
  const { status } = await runProgram(['git', 'cat-file', '-e', stdout.trim()]);
  return status === 0 ? stdout.trim() : undefined;
}

const older = Bun.which('git') === null ? undefined : await commitBefore(NEWEST_SCHEMA);

/** Whether the program of the previous schema can be had. */
export const HAS_OLDER = older !== undefined;

/**
 * Takes the place of systemd, which a drill does not have. Just before each stop, a client adds an animal: Mia, and
 * before the next stop Tom.
 */
const SYSTEMCTL = `#!/bin/sh -e
if [ "$1" = start ]; then
  animal-store serve >> service.log 2>> service.err &
  echo $! > service.pid
  until curl -sf http://127.0.0.1:8080/readyz > /dev/null; do
    kill -0 $! || { cat service.err; exit 1; }
    sleep 0.1
  done
else
  if [ -e stopped ]; then name=Tom; rm stopped; else name=Mia; touch stopped; fi
  printf '{"name":"%s","categoryId":1}' $name | animal-store import - --format ndjson 2> import.log || { cat import.log; exit 1; }
  kill "$(cat service.pid)"
  while kill -0 "$(cat service.pid)" 2> /dev/null; do sleep 0.1; done
fi
`;

/** The database of the service on the page. */
const FILE = '/var/lib/animal-store/animal-store.db';

/** Installs the program of the previous schema and puts the new one beside it. The old one runs, with an animal in each database. */
export async function prepareUpgrade({ place, real }: Preparation): Promise<void> {
  const folder = place.file('older');
  await Bun.$`mkdir ${folder} && git -C ${ROOT} archive ${older} | tar x -C ${folder}`;
  // Its own packages, which may be others than today's. The runtime is this one.
  await Bun.$`npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund`
    .cwd(folder)
    .quiet();
  const program = real('/usr/local/bin/animal-store');
  await Bun.$`mv ${place.file('bin/animal-store')} ${place.file('animal-store-new')}`;
  await Bun.write(program, `#!/bin/sh\nexec ${process.execPath} ${folder}/src/main.ts "$@"\n`);
  const systemctl = await place.write('bin/systemctl', real(SYSTEMCTL));
  await Bun.$`chmod +x ${program} ${systemctl}`;
  const start = `DATABASE_URL=${FILE} systemctl start animal-store\n`;
  await place.write('bin/prepare.sh', real(start));
  const rex = Buffer.from('{"name":"Rex","categoryId":1}\n');
  const shown = 'postgres://store:PASSWORD@db.example:5432/store';
  // A session without PostgreSQL has no other database.
  const databases = [real(FILE), real(shown)].filter((url) => !url.includes('example'));
  for (const url of databases)
    await Bun.$`${program} import - --format ndjson --database ${url} < ${rex}`
      .cwd(place.path)
      .quiet();
}
