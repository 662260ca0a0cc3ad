/** The rooms of `src`, and which may import which (docs/architecture.md). */

/** Every room may import these. */
export const GROUND = [
  'clock.ts',
  'control-characters.ts',
  'fold-text.ts',
  'int64.ts',
  'maybe-promise.ts',
  'steps.ts',
];

/** The rooms that the stores of both engines implement and speak of. */
const FEATURES_OF_STORES = [
  'api-keys',
  'categories',
  'idempotency',
  'observe',
  'orders',
  'pets',
  'storage',
];

/** The rooms of an engine, which are the same for both. */
const engineRooms = (engine: string) => {
  const room = (name: string) => `storage/${engine}/${name}`;
  const failures = room('failures.ts');
  const lower = ['connections', 'schema', 'integrity', 'transactions'].map(room);
  return {
    [failures]: ['storage'],
    [room('connections')]: ['observe', 'storage', failures],
    [room('schema')]: ['storage', failures, room('connections')],
    [room('integrity')]: ['observe', 'storage', failures, room('connections'), room('schema')],
    [room('transactions')]: ['storage', failures, room('connections')],
    [room('statements')]: [
      'http/contract',
      'storage',
      failures,
      room('connections'),
      room('transactions'),
    ],
    [room('stores')]: [
      ...FEATURES_OF_STORES,
      'http/contract',
      failures,
      room('connections'),
      room('transactions'),
      room('statements'),
    ],
    [room('transfer')]: [
      'pets',
      'storage',
      'transfer',
      failures,
      room('connections'),
      room('transactions'),
      room('statements'),
      room('stores'),
    ],
    [room('maintenance')]: ['storage', failures, ...lower, room('statements')],
    [room('open.ts')]: ['observe', 'storage', failures, ...lower, room('stores'), room('transfer')],
  };
};

/** What each room of `src` may import. What is not listed here is refused. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'http/contract': [],
  'http/request': ['http/contract'],
  'http/response': ['http/contract', 'http/request'],
  'http/middleware': ['http/contract', 'http/request', 'http/response'],
  'http/routing': ['http/contract', 'http/request', 'http/response', 'http/middleware'],
  'http/document': ['http/contract'],
  observe: ['http/middleware', 'http/request'],
  categories: ['http/contract'],
  pets: ['http/contract', 'categories', 'idempotency'],
  orders: ['http/contract', 'categories', 'pets'],
  'api-keys': ['http/contract', 'http/request', 'observe'],
  usage: ['http/contract', 'observe'],
  'build-page.ts': [],
  console: ['build-page.ts', 'http/response'],
  reference: ['build-page.ts', 'http/contract', 'http/document', 'http/response'],
  idempotency: ['http/contract', 'http/request', 'http/response', 'http/routing'],
  transfer: ['http/request', 'categories', 'pets'],
  storage: [
    ...FEATURES_OF_STORES.filter((room) => room !== 'storage'),
    'http/contract',
    'transfer',
  ],
  ...engineRooms('sqlite'),
  ...engineRooms('postgres'),
  'bind-operations.ts': [
    'api-keys',
    'http/contract',
    'http/routing',
    'idempotency',
    'observe',
    'storage',
  ],
  'app.ts': [
    'api-keys',
    'bind-operations.ts',
    'categories',
    'console',
    'http/contract',
    'http/document',
    'http/middleware',
    'http/request',
    'http/response',
    'http/routing',
    'observe',
    'orders',
    'pets',
    'reference',
    'storage',
    'usage',
  ],
  config: ['http/document', 'http/middleware', 'observe', 'storage'],
  server: [
    'api-keys',
    'app.ts',
    'config',
    'http/contract',
    'http/request',
    'http/response',
    'idempotency',
    'observe',
    'storage',
  ],
  cli: [
    'api-keys',
    'app.ts',
    'categories',
    'config',
    'http/contract',
    'http/document',
    'http/request',
    'observe',
    'server',
    'storage',
    'storage/sqlite/open.ts',
    'storage/postgres/open.ts',
    'storage/sqlite/schema',
    'storage/postgres/schema',
    'storage/sqlite/maintenance',
    'storage/postgres/maintenance',
    'transfer',
    'usage',
  ],
  'main.ts': ['cli'],
};
