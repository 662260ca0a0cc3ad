/** Commands of the handbook that change an installation, apart from that of this machine. */
import { handbookBlock } from '../../test/process/handbook.ts';
import type { Preparation } from '../../test/process/handbook-session.ts';

/**
 * Runs a script with its own, temporary versions of the folders that an installation changes: the users and settings in
 * /etc, and the programs, data and files below the others. All processes end with the script. An administrator may have
 * set a umask like this one.
 */
const ISOLATE = `
  mount --make-rprivate /
  for folder in /etc /usr/local/bin /var/lib /root /run /var/log; do
    mkdir -p "$1$folder"
    [ $folder != /etc ] || cp -a /etc/. "$1/etc"
    mount --bind "$1$folder" $folder
  done
  umask 077
  exec sh "$2"
`;

/** The command that runs the script whose path follows it, with the folders below this one. */
export const isolated = (folder: string): string[] => [
  ...['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['sh', '-ec', ISOLATE, 'sh', folder],
];

/** Creates the cluster `main` with the packages of Debian, and in it a setting, the roles of docs/access.md and an animal. */
export async function prepareCluster({ place, real }: Preparation): Promise<void> {
  // The user of PostgreSQL reads and writes below this folder.
  await Bun.$`chmod 755 ${place.path}`;
  await place.write('bin/roles.sql', handbookBlock('access', 'roles'));
  await place.write(
    'bin/prepare.sh',
    real(`
      umask 022
      rm -rf /etc/postgresql/15/*
      install -d -o postgres -g postgres /run/postgresql /var/log/postgresql /var/lib/postgresql
      pg_createcluster 15 main --port=5432
      echo 'max_connections = 150' > /etc/postgresql/15/main/conf.d/own.conf
      pg_ctlcluster 15 main start
      runuser -u postgres -- psql --port=5432 --quiet --file=bin/roles.sql
      echo '{"name":"Rex","categoryId":1}' | animal-store import - --format ndjson \
        --database postgres://store_owner:PASSWORD@127.0.0.1:5432/store
    `),
  );
}
