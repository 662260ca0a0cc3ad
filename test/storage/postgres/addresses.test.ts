/** The forms of addresses that providers of PostgreSQL hand out, and the forms that are refused. */
import { describe, expect, test } from 'bun:test';
import { userInfo } from 'node:os';
import { readConfig } from '../../../src/config/config.ts';
import { withoutPassword } from '../../../src/storage/database-url.ts';
import { type PostgresAddress, parsePostgresUrl } from '../../../src/storage/postgres-url.ts';

const SECRET = 's3cr3t';

const ACCEPTED: Readonly<Record<string, readonly [string, Partial<PostgresAddress>]>> = {
  Neon: [
    `postgresql://alex:${SECRET}@ep-cool-darkness-a1b2c3d4.us-east-2.aws.neon.tech/dbname?sslmode=require`,
    {
      user: 'alex',
      host: 'ep-cool-darkness-a1b2c3d4.us-east-2.aws.neon.tech',
      port: 5432,
      database: 'dbname',
      sslMode: 'require',
    },
  ],
  'Neon, for clients without SNI': [
    `postgres://alex:${SECRET}@pg.neon.tech/main?sslmode=require&options=endpoint%3Dep-cool-darkness`,
    { sessionOptions: 'endpoint=ep-cool-darkness' },
  ],
  Supabase: [
    `postgresql://postgres.abcdefgh:[${SECRET}]@aws-0-eu-central-1.pooler.supabase.com:6543/postgres`,
    { user: 'postgres.abcdefgh', password: `[${SECRET}]`, port: 6543 },
  ],
  'Amazon RDS': [
    `postgresql://store:${SECRET}@store.abc.eu-west-1.rds.amazonaws.com:5432/store?sslmode=verify-full&sslrootcert=/certs/global-bundle.pem`,
    { sslMode: 'verify-full', caFile: '/certs/global-bundle.pem' },
  ],
  'Cloud SQL, the socket as a parameter': [
    `postgresql://store:${SECRET}@/store?host=/cloudsql/project:region:instance`,
    { host: '/cloudsql/project:region:instance', user: 'store', database: 'store' },
  ],
  'Cloud SQL, the socket as the host': [
    `postgresql://store:${SECRET}@%2Fcloudsql%2Fproject%3Aregion%3Ainstance/store`,
    { host: '/cloudsql/project:region:instance' },
  ],
  'a socket without a user': [
    'postgres:///store?host=/var/run/postgresql',
    { host: '/var/run/postgresql', user: userInfo().username },
  ],
  IPv6: ['postgres://store@[2001:db8::1]:5433/store', { host: '2001:db8::1', port: 5433 }],
  'IPv6 without a port': ['postgres://store@[::1]/store', { host: '::1', port: 5432 }],
  'percent-encoding': [
    'postgres://st%40re:p%25%23%2F%40%3A%3F%20%C3%BC@db/my%20animals',
    { user: 'st@re', password: 'p%#/@:? ü', database: 'my animals' },
  ],
  'a colon in a password': ['postgres://store:a:b@db/store', { password: 'a:b' }],
  'user and password as parameters': [
    `postgres://db/store?user=me@server&password=${SECRET}`,
    { user: 'me@server', password: SECRET, host: 'db' },
  ],
  'parameters of libpq': [
    'postgres://store@db/store?application_name=shop&connect_timeout=5&channel_binding=prefer&gssencmode=disable&target_session_attrs=read-write&sslcert=/c.pem&sslkey=/k.pem&sslnegotiation=direct&sslmode=verify-full&sslrootcert=system',
    {
      applicationName: 'shop',
      connectTimeoutSeconds: 5,
      certificateFile: '/c.pem',
      keyFile: '/k.pem',
      directTls: true,
      caFile: 'system',
    },
  ],
  'ssl=true': ['postgres://store@db/store?ssl=true', { sslMode: 'require' }],
};

const ENCODE = 'percent-encoded: write %23 for #';

const REFUSED: readonly [string, string][] = [
  [`postgres://store:${SECRET}#x@db/store`, ENCODE],
  [`postgres://store:${SECRET}/x@db/store`, ENCODE],
  [`postgres://store:1/${SECRET}@db/store`, ENCODE],
  [`postgres://store:1/${SECRET}@db`, ENCODE],
  [`postgres://store:${SECRET}@x@db/store`, ENCODE],
  [`postgres://store:${SECRET}%x@db/store`, ENCODE],
  [`postgres://store:${SECRET}?x@db/store`, ENCODE],
  [`postgres://store:${SECRET}%ff@db/store`, 'not UTF-8'],
  [`postgres://store:${SECRET} x@db/store`, 'a space or a line break'],
  [`postgres://store:${SECRET}/store`, 'the port must be a number from 1 to 65535'],
  ['postgres://store@db:0/store', 'the port must be a number from 1 to 65535'],
  ['postgres://store@db:65536/store', 'the port must be a number from 1 to 65535'],
  ['postgres://store@db:x/store', 'the port must be a number from 1 to 65535'],
  ['postgres://store@db', 'it names no database'],
  ['postgres://store@db/', 'it names no database'],
  ['postgres://db/store', 'it names no user'],
  ['postgres://store@/store', 'it names no host'],
  ['postgres://store@db/store/animals', 'the name of the database must not contain a slash'],
  ['postgres://store@one,two/store', 'it names several hosts'],
  ['postgres://store@/store?host=one,two', 'names several hosts'],
  ['postgres://store@::1/store', 'in brackets'],
  ['postgres://store@[db]/store', 'in brackets must be an IPv6 address'],
  ['postgres://store@d*b/store', 'the host must be a name'],
  ['postgres://store@db/store?sslmode=never', 'sslmode must be one of disable, prefer, require'],
  ['postgres://store@db/store?sslmode=allow', 'sslmode must be one of disable, prefer, require'],
  ['postgres://store@db/store?sslmode=require&sslmode=disable', 'sslmode occurs twice'],
  [
    'postgresql://alex:s3cr3t@ep.aws.neon.tech/db?sslmode=require&channel_binding=require',
    'channel_binding must be disable or prefer',
  ],
  ['postgres://store@db/store?sslrootcert=system&sslmode=require', 'requires sslmode=verify-full'],
  ['postgres://store@db/store?sslnegotiation=direct', 'requires sslmode=require'],
  ['postgres://store@db/store?gssencmode=require', 'gssencmode must be disable or prefer'],
  ['postgres://store@db/store?target_session_attrs=standby', 'DATABASE_STANDBY_URLS'],
  ['postgres://store@db/store?connect_timeout=soon', 'a whole number of seconds'],
  ['postgres://store@db/store?pgbouncer=true', 'set DATABASE_PREPARED=off'],
  ['postgres://store@db/store?schema=public', 'the schema animal_store'],
  ['postgres://store@db/store?require_auth=md5', 'require_auth is not supported: remove it'],
  ['postgres://store@db/store?constructor=x', 'constructor is not supported'],
  [`postgres://store@db/store?${SECRET}`, 'must have the form name=value'],
  [`Jdbc:postgresql://db/store?user=store&password=${SECRET}`, 'it is a JDBC URL'],
  [`HOST=db USER=store PASSWORD=${SECRET} DBNAME=store`, 'a connection string of keywords'],
  [`Postgresql+psycopg://store:${SECRET}@db/store`, 'it is not a URL of PostgreSQL'],
  [`postgres:store:${SECRET}@db/store`, 'it is not a URL of PostgreSQL'],
  [` postgres://store:${SECRET}@db/store`, 'it begins or ends with white space'],
  [`"postgres://store:${SECRET}@db/store"`, 'remove the quotation marks'],
];

const read = (DATABASE_URL: string): string =>
  readConfig(['database'], {}, { DATABASE_URL }).database;

describe('an address is accepted as it is meant', () => {
  test.each(Object.entries(ACCEPTED))('%s', (_provider, [url, meant]) => {
    expect(read(url)).toBe(url);
    expect(parsePostgresUrl(url)).toMatchObject(meant);
  });

  test.each(Object.entries(ACCEPTED))('%s: messages hide its password', (_provider, [url]) => {
    const shown = withoutPassword(url);
    const { user, host, port, database } = parsePostgresUrl(url);
    expect(shown).not.toContain(SECRET);
    const named = { user, host, port, database, password: undefined };
    expect(parsePostgresUrl(shown)).toMatchObject(named);
  });
});

describe('a refusal names the wrong part and shows nothing of the address', () => {
  test.each([...REFUSED])('%s', (text, reason) => {
    let message = '';
    try {
      read(text);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('DATABASE_URL is not valid: ');
    expect(message).toContain(reason);
    expect(message).not.toContain(SECRET);
  });
});

test('addresses of standbys accept other values of target_session_attrs', () => {
  const parse = (attributes: string) => {
    const DATABASE_STANDBY_URLS = `postgres://a@b/c?target_session_attrs=${attributes}`;
    return readConfig(['standbyUrls'], {}, { DATABASE_STANDBY_URLS });
  };
  expect(parse('prefer-standby').standbyUrls).toHaveLength(1);
  expect(read('postgres://a@b/c?target_session_attrs=primary')).toEndWith('primary');
  expect(() => parse('primary')).toThrow('of a standby must be');
});
