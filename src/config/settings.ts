import { LOG_LEVELS } from '../observe/level.ts';
import {
  baseUrl,
  databaseUrl,
  duration,
  filePath,
  hostName,
  networks,
  oneOf,
  onOff,
  optionalSetting,
  origins,
  postgresUrls,
  rateLimit,
  retention,
  secretKeys,
  setting,
  wholeNumber,
  workerCount,
} from './setting.ts';

/** Every setting of the service: the source of the flags, `--help` and docs/settings.md. */
export const SETTINGS = {
  host: setting({
    variable: 'HOST',
    description: 'Address to listen on. 0.0.0.0 means all addresses.',
    default: '127.0.0.1',
    ...hostName,
  }),
  port: setting({
    variable: 'PORT',
    description: 'Port to listen on. 0 selects a free port.',
    default: '8080',
    ...wholeNumber(0, 65_535),
  }),
  database: setting({
    flag: '--database',
    variable: 'DATABASE_URL',
    description:
      'Database of the catalogue: an SQLite file, or the URL of a PostgreSQL database. A missing file is created by serve, import and keys create.',
    default: './data/animal-store.db',
    ...databaseUrl,
  }),
  databaseUrlFile: optionalSetting({
    variable: 'DATABASE_URL_FILE',
    description:
      'File with the URL of a PostgreSQL database, in place of DATABASE_URL. It is read again when the server refuses the password.',
    whenUnset: 'none',
    ...filePath,
  }),
  standbyUrls: optionalSetting({
    variable: 'DATABASE_STANDBY_URLS',
    description: 'PostgreSQL standbys to read from.',
    whenUnset: 'none',
    ...postgresUrls,
  }),
  databaseCaFile: optionalSetting({
    variable: 'DATABASE_CA_FILE',
    description:
      'Certificates of the authorities that sign the certificate of PostgreSQL (PEM). With it, sslmode is verify-full unless the URL names another one.',
    whenUnset: 'the authorities that the runtime trusts',
    ...filePath,
  }),
  databaseCertFile: optionalSetting({
    variable: 'DATABASE_CERT_FILE',
    description: 'Client certificate for PostgreSQL (PEM).',
    whenUnset: 'none',
    ...filePath,
  }),
  databaseKeyFile: optionalSetting({
    variable: 'DATABASE_KEY_FILE',
    description: 'Private key of the client certificate (PEM), without a password.',
    whenUnset: 'none',
    ...filePath,
  }),
  databaseConnections: setting({
    variable: 'DATABASE_CONNECTIONS',
    description: 'Maximum number of connections to each PostgreSQL server.',
    default: '10',
    ...wholeNumber(2, 1_000),
  }),
  databaseTimeoutMs: setting({
    variable: 'DATABASE_TIMEOUT',
    description: 'Timeout of a read or write in PostgreSQL. Beyond it, requests get 503.',
    default: '5s',
    ...duration(240_000, '4m'),
  }),
  databasePrepared: setting({
    variable: 'DATABASE_PREPARED',
    description: 'Whether statements are prepared. Set it to off behind a pooler.',
    default: 'on',
    ...onOff,
  }),
  environment: setting({
    variable: 'ENVIRONMENT',
    description: 'Environment of the service: the prefix of API keys, and the base URL of links.',
    default: 'production',
    ...oneOf('production', 'staging'),
  }),
  firstKeyFile: optionalSetting({
    variable: 'FIRST_KEY_FILE',
    description:
      'File to create for the first API key. Without it, the key is printed to standard error.',
    whenUnset: 'none',
    ...filePath,
  }),
  baseUrl: optionalSetting({
    variable: 'BASE_URL',
    description: 'Base URL of the production environment, as clients see it.',
    whenUnset: 'in production the address listened on, else none',
    ...baseUrl,
  }),
  stagingBaseUrl: optionalSetting({
    variable: 'STAGING_BASE_URL',
    description: 'Base URL of the staging environment, as clients see it.',
    whenUnset: 'in staging the address listened on, else none',
    ...baseUrl,
  }),
  workers: setting({
    variable: 'WORKERS',
    description: 'Number of processes that serve the port. auto: one per processor.',
    default: '1',
    ...workerCount,
  }),
  requestTimeoutMs: setting({
    variable: 'REQUEST_TIMEOUT',
    description: 'Timeout of a request. Beyond it, requests get 503.',
    default: '30s',
    ...duration(240_000, '4m'),
  }),
  shutdownDelayMs: setting({
    variable: 'SHUTDOWN_DELAY',
    description:
      'How long a stop still accepts requests while /readyz is 503, so that load balancers notice.',
    default: '0',
    ...duration(600_000, '10m', 0),
  }),
  shutdownTimeoutMs: setting({
    variable: 'SHUTDOWN_TIMEOUT',
    description: 'How long a stop waits for requests in progress.',
    default: '10s',
    ...duration(600_000, '10m'),
  }),
  extensions: setting({
    variable: 'EXTENSIONS',
    description: 'off: only the three specified operations.',
    default: 'on',
    ...onOff,
  }),
  console: setting({
    variable: 'CONSOLE',
    description: 'Whether to serve the page for the staff of the store at `/`.',
    default: 'on',
    ...onOff,
  }),
  requireIfMatch: setting({
    variable: 'REQUIRE_IF_MATCH',
    description: 'Whether updates and deletions require an If-Match header.',
    default: 'off',
    ...onOff,
  }),
  requireKnownCategory: setting({
    variable: 'REQUIRE_KNOWN_CATEGORY',
    description: 'Whether the category of an animal must have a record.',
    default: 'off',
    ...onOff,
  }),
  orderHoldMinutes: setting({
    variable: 'ORDER_HOLD_MINUTES',
    description: 'How many minutes a placed order holds its animal.',
    default: '30',
    ...wholeNumber(1, 10_080),
  }),
  orderRetentionMs: setting({
    variable: 'ORDER_RETENTION',
    description: 'How long orders that ended are kept. Older ones are deleted.',
    default: 'off',
    ...retention,
  }),
  eventRetentionMs: setting({
    variable: 'EVENT_RETENTION',
    description: 'How long events are kept. A client that is away for longer misses events.',
    default: '400d',
    ...retention,
  }),
  eventStreams: setting({
    variable: 'EVENT_STREAMS',
    description:
      'Maximum number of streams of events per process. One API key may have a quarter. Further streams get 503.',
    default: '1000',
    ...wholeNumber(0, 100_000),
  }),
  webhookSecretKeys: optionalSetting({
    variable: 'WEBHOOK_SECRET_KEY',
    description:
      'Key that seals the secrets of webhook endpoints. Without it, there are no webhooks. Previous keys may follow, which only open.',
    whenUnset: 'none',
    ...secretKeys,
  }),
  webhookConcurrency: setting({
    variable: 'WEBHOOK_CONCURRENCY',
    description: 'Maximum number of webhooks that a process sends at the same time.',
    default: '16',
    ...wholeNumber(1, 1_000),
  }),
  webhookAllowHttp: setting({
    variable: 'WEBHOOK_ALLOW_HTTP',
    description: 'Whether the URL of a webhook endpoint may have http.',
    default: 'off',
    ...onOff,
  }),
  webhookAllowedNetworks: optionalSetting({
    variable: 'WEBHOOK_ALLOWED_NETWORKS',
    description: 'Networks to which webhooks are sent beside the public internet.',
    whenUnset: 'none',
    ...networks,
  }),
  corsOrigins: optionalSetting({
    variable: 'CORS_ORIGINS',
    description: 'Origins whose web pages may call the service.',
    whenUnset: 'none',
    ...origins,
  }),
  rateLimit: optionalSetting({
    variable: 'RATE_LIMIT',
    description: 'Maximum number of requests per API key.',
    whenUnset: 'no limit',
    ...rateLimit,
  }),
  trustProxy: setting({
    variable: 'TRUST_PROXY',
    description: 'Whether the log takes client addresses from the last entry of X-Forwarded-For.',
    default: 'off',
    ...onOff,
  }),
  logClientAddress: setting({
    variable: 'LOG_CLIENT_ADDRESS',
    description: 'Whether the log contains the IP addresses of clients.',
    default: 'off',
    ...onOff,
  }),
  instance: optionalSetting({
    variable: 'INSTANCE',
    description: 'Name of this instance in the log.',
    whenUnset: 'the name of the host',
    allowed: '1 to 128 letters, digits and . _ : -',
    parse: (text) => (/^[A-Za-z0-9._:-]{1,128}$/.test(text) ? text : undefined),
  }),
  metricsPort: optionalSetting({
    variable: 'METRICS_PORT',
    description: 'Port that serves metrics for Prometheus at `/metrics`. 0 selects a free port.',
    whenUnset: 'none: no metrics',
    ...wholeNumber(0, 65_535),
  }),
  metricsHost: setting({
    variable: 'METRICS_HOST',
    description: 'Address that serves metrics. It needs no API key: do not publish it.',
    default: '127.0.0.1',
    ...hostName,
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    description: 'Lowest level of the log lines that are written.',
    default: 'info',
    ...oneOf(...LOG_LEVELS),
  }),
} as const;
