import {
  duration,
  filePath,
  onOff,
  optionalSetting,
  postgresUrls,
  setting,
  wholeNumber,
} from './setting.ts';

/** How a PostgreSQL database is reached. */
export const POSTGRES_SETTINGS = {
  databaseUrlFile: optionalSetting({
    flag: '--database-url-file',
    variable: 'DATABASE_URL_FILE',
    description:
      'File with the URL of a PostgreSQL database, in place of DATABASE_URL. It is read again when the server refuses the password.',
    whenUnset: 'none',
    ...filePath,
  }),
  standbyUrls: optionalSetting({
    flag: '--database-standby-urls',
    variable: 'DATABASE_STANDBY_URLS',
    description: 'PostgreSQL standbys to read from.',
    whenUnset: 'none',
    ...postgresUrls,
  }),
  databaseCaFile: optionalSetting({
    flag: '--database-ca-file',
    variable: 'DATABASE_CA_FILE',
    description:
      'Certificates of the authorities that sign the certificate of PostgreSQL (PEM). With it, sslmode is verify-full unless the URL names another one.',
    whenUnset: 'the authorities that the runtime trusts',
    ...filePath,
  }),
  databaseCertFile: optionalSetting({
    flag: '--database-cert-file',
    variable: 'DATABASE_CERT_FILE',
    description: 'Client certificate for PostgreSQL (PEM).',
    whenUnset: 'none',
    ...filePath,
  }),
  databaseKeyFile: optionalSetting({
    flag: '--database-key-file',
    variable: 'DATABASE_KEY_FILE',
    description: 'Private key of the client certificate (PEM), without a password.',
    whenUnset: 'none',
    ...filePath,
  }),
  databaseConnections: setting({
    flag: '--database-connections',
    variable: 'DATABASE_CONNECTIONS',
    description: 'Maximum number of connections to each PostgreSQL server.',
    default: '10',
    ...wholeNumber(2, 1_000),
  }),
  databaseTimeoutMs: setting({
    flag: '--database-timeout',
    variable: 'DATABASE_TIMEOUT',
    description:
      'Timeout of a read or write in PostgreSQL. In serve, a request that exceeds it gets 503.',
    default: '5s',
    ...duration(240_000, '4m'),
  }),
  databasePrepared: setting({
    flag: '--database-prepared',
    variable: 'DATABASE_PREPARED',
    description:
      'Whether statements are prepared. Set it to off behind a pooler such as PgBouncer.',
    default: 'on',
    ...onOff,
  }),
} as const;
