/** The commands of the handbook that need programs which npm does not install. */
import { describe, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { blocksOf, type DrillProgram, HANDBOOK } from '../../test/process/handbook.ts';
import { type Preparation, runBlocks } from '../../test/process/handbook-session.ts';
import { CHOSEN_VERSION } from '../../test/support/postgres-versions.ts';
import { ROOT, runProgram } from '../../test/support/process.ts';
import { expectShown } from '../../test/support/shown-output.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { isolated, prepareCluster } from './handbook-isolation.ts';
import { type Servers, startServers } from './handbook-servers.ts';
import { HAS_OLDER, prepareUpgrade } from './handbook-upgrade.ts';

const LIMIT_MS = 300_000;

const isFound = (program: string): boolean =>
  Bun.which(program, { PATH: `${process.env['PATH']}:/usr/sbin` }) !== null;

/** `pg_dump` refuses a server that is newer than itself. */
async function canDump(): Promise<boolean> {
  if (!isFound('pg_dump') || !isFound('psql')) return false;
  const { stdout } = await runProgram(['pg_dump', '--version']);
  return Number(/ (\d+)/.exec(stdout)?.[1]) >= Number(CHOSEN_VERSION);
}

const isRoot = process.getuid?.() === 0 && ['unshare', 'useradd', 'runuser'].every(isFound);

const CAN: Readonly<Record<DrillProgram, boolean>> = {
  haproxy: isFound('haproxy'),
  prometheus: isFound('prometheus'),
  promtool: isFound('promtool'),
  // The commands of an installation as root.
  root: isRoot,
  git: HAS_OLDER,
  pg_dump: await canDump(),
  // With psql and pg_restore. Its server has a version that any of these programs can dump.
  pg_dumpall: isFound('pg_dumpall'),
  // A server of this version beside one of version 15.
  'postgresql-18': isFound('pg_dumpall'),
  // The packages of Debian, as root.
  'postgresql-15': isRoot && isFound('pg_createcluster') && existsSync('/usr/lib/postgresql/15'),
};

/** Builds the executable. */
async function prepareInstallation({ place }: Preparation): Promise<void> {
  // The service has another user, and the folders of the session are below this one.
  await Bun.$`chmod 755 ${place.path}`;
  const script = `${ROOT}scripts/build-executable.ts`;
  await Bun.$`${process.execPath} ${script} ${place.file('dist/animal-store')}`.quiet();
}

/** Blocks that need these run apart from the installation of this machine. */
const ISOLATED: readonly DrillProgram[] = ['root', 'postgresql-15'];

/** By what a session needs. */
const PREPARATIONS: Partial<Record<DrillProgram, (preparation: Preparation) => Promise<void>>> = {
  root: prepareInstallation,
  'postgresql-15': prepareCluster,
  git: prepareUpgrade,
};

/** The two servers of the page about dumps. */
function serversFor(programs: readonly DrillProgram[]): Promise<Servers> | undefined {
  if (programs.includes('postgresql-18')) return startServers('15', '18');
  if (programs.includes('pg_dumpall'))
    return startServers('15', '15', { hasForgottenSession: true });
  return undefined;
}

for (const page of HANDBOOK) {
  const blocks = blocksOf(page);
  const needs = new Map(
    blocks.flatMap(({ proof }) =>
      proof.kind === 'drill' ? [[proof.programs.join(), proof.programs] as const] : [],
    ),
  );
  for (const [names, programs] of needs) {
    const session = blocks.filter(
      ({ proof }) =>
        // The upgrade prepares a service of its own, of an older version.
        (proof.kind === 'run' && !programs.includes('git')) ||
        (proof.kind === 'drill' && proof.programs.every((program) => programs.includes(program))),
    );
    describe(page, () => {
      test.skipIf(!programs.every((program) => CAN[program]))(
        `prints what the page shows (needs ${names})`,
        async () => {
          const [prepare] = programs.flatMap((program) => PREPARATIONS[program] ?? []);
          const place = temporaryFolder();
          const isolation = programs.some((program) => ISOLATED.includes(program))
            ? { shell: isolated(place.path), folders: ['/backups'] }
            : {};
          const servers = await serversFor(programs);
          const { addresses } = servers ?? {};
          try {
            const options = { limitMs: LIMIT_MS, prepare, addresses, ...isolation };
            expectShown(page, session, await runBlocks(session, options));
          } finally {
            await servers?.remove();
            place.remove();
          }
        },
      );
    });
  }
}
