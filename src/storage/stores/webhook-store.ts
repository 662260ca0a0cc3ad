import type { Feed } from '../../events/event-store.ts';
import { DEFAULT_SORT } from '../../http/contract/list-query.ts';
import { INT64_MAX, type Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { runSteps, type Steps, wait } from '../../steps.ts';
import {
  type ClaimedDelivery,
  type DeliveryState,
  type EndpointWork,
  type ListedDelivery,
  type NewWebhookEndpoint,
  type ReplayRange,
  type StoredDelivery,
  type StoredSecret,
  typesOf,
  type WebhookEndpoint,
  type WebhookReader,
  type WebhookStore,
  type WebhookTotals,
} from '../../webhooks/webhook-store.ts';
import { CODES, type ListedRow, toListedEvent, wordsOf } from '../event-rows.ts';
import { insertionOf } from '../insertion.ts';
import { insertedFieldsOf, int64FieldsOf, selectListOf } from '../rows.ts';
import { type Spelling, type Sql, Statement } from '../sql.ts';
import { EVENTS, WEBHOOK_DELIVERIES, WEBHOOK_ENDPOINTS, WEBHOOK_SECRETS } from '../tables.ts';
import { listedColumns } from './event-store.ts';
import { resourceStatements, StoredResources } from './resource-store.ts';

const STATEMENTS = resourceStatements<WebhookEndpoint>(WEBHOOK_ENDPOINTS, 'webhook_endpoint');
const ADD_SECRET = insertionOf(WEBHOOK_SECRETS, insertedFieldsOf(WEBHOOK_SECRETS));

const ENDPOINTS = WEBHOOK_ENDPOINTS.name;
const SECRETS = WEBHOOK_SECRETS.name;
const DELIVERIES = WEBHOOK_DELIVERIES.name;
const DELIVERY = selectListOf(WEBHOOK_DELIVERIES);
const DELIVERY_INT64S = int64FieldsOf(WEBHOOK_DELIVERIES) as 'id'[];

const newest = ({ table }: Spelling): string =>
  `coalesce((SELECT max(id) FROM ${table('events')}), (SELECT deleted_to FROM ${table('event_feed')}))`;

const NEWEST = new Statement<{ newest: Int64 }>(
  (spelling) => `SELECT ${newest(spelling)} AS newest`,
  ['newest'],
);
const DISABLE_ALL = new Statement(
  ({ table }) => `UPDATE ${table(ENDPOINTS)} SET status = 'disabled', disabled_reason = 'restored'
    WHERE status = 'enabled'`,
);
const GIVE_UP = new Statement(
  ({
    table,
  }) => `UPDATE ${table(DELIVERIES)} SET status = 'failed', next_at = NULL, claimed_until = 0,
    last_error = 'restored' WHERE status = 'pending'`,
);
const secrets = (condition: string) =>
  new Statement<StoredSecret>(
    ({ table }) => `SELECT ${selectListOf(WEBHOOK_SECRETS)} FROM ${table(SECRETS)}
      WHERE ${condition} ORDER BY id DESC`,
    ['id', 'endpointId'],
  );
const ALL_SECRETS = secrets('true');
const SECRETS_OF = secrets('endpoint_id = $1 AND (expires_at IS NULL OR expires_at > $2)');
const REMOVE_SECRETS = new Statement(
  ({ table }) => `DELETE FROM ${table(SECRETS)} WHERE endpoint_id = $1 AND expires_at IS NOT NULL`,
);
const END_SECRETS = new Statement(
  ({ table }) => `UPDATE ${table(SECRETS)} SET expires_at = $1 WHERE endpoint_id = $2`,
);
const RESEAL = new Statement(
  ({ table }) => `UPDATE ${table(SECRETS)} SET secret = $1 WHERE id = $2`,
);
const isDue = "status = 'pending' AND next_at <= $1 AND claimed_until <= $1";
const oldestDue = ({ table }: Spelling): string =>
  `(SELECT next_at FROM ${table(DELIVERIES)} WHERE endpoint_id = endpoints.id AND ${isDue} ORDER BY next_at LIMIT 1)`;
const WORK = new Statement<{
  id: Int64;
  isFailing: number | boolean;
  isBehind: number | boolean;
  dueAt: number | null;
}>(
  (spelling) => `SELECT id, failing_since IS NOT NULL AS "isFailing",
      fanned_out_to < ${newest(spelling)} AS "isBehind", ${oldestDue(spelling)} AS "dueAt"
    FROM ${spelling.table(ENDPOINTS)} AS endpoints WHERE status = 'enabled' ORDER BY id`,
  ['id'],
);
const TOTALS = new Statement<WebhookTotals>(
  (
    spelling,
  ) => `SELECT (SELECT count(*) FROM ${spelling.table(ENDPOINTS)} WHERE disabled_reason <> 'requested') AS disabled,
    (SELECT min(${oldestDue(spelling)}) FROM ${spelling.table(ENDPOINTS)} AS endpoints WHERE status = 'enabled') AS "oldestDueAt"`,
);
const LIST_DELIVERIES = new Statement<StoredDelivery & ListedRow>(
  ({
    table,
  }) => `SELECT listed.*, events.type, events.collection, events.resource_id AS "resourceId"
    FROM (SELECT ${DELIVERY} FROM ${table(DELIVERIES)}
      WHERE endpoint_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3) AS listed
    JOIN ${table('events')} AS events ON events.id = listed."eventId" ORDER BY listed.id DESC`,
  DELIVERY_INT64S,
);

/** Another process that adds deliveries of the endpoint has locked it. */
const FANNED_OUT_TO = new Statement<WebhookEndpoint>(
  ({ table, lock }) => `SELECT types, fanned_out_to AS "fannedOutTo" FROM ${table(ENDPOINTS)}
    WHERE id = $1 AND status = 'enabled' ${lock('FOR UPDATE SKIP LOCKED')}`,
  ['fannedOutTo'],
);
const LAST_OF_NEXT = new Statement<{ last: Int64 | null }>(
  ({ table }) => `SELECT max(id) AS last FROM (
    SELECT id FROM ${table('events')} WHERE id > $1 ORDER BY id LIMIT $2) AS next`,
  ['last'],
);
const SET_FANNED_OUT = new Statement(
  ({ table }) => `UPDATE ${table(ENDPOINTS)} SET fanned_out_to = $1 WHERE id = $2`,
);

/** The events of some types after a position up to another one. */
const selected = ({ among }: Spelling, first: number): string =>
  `id > $${first} AND id <= $${first + 1} AND ${among('type', `$${first + 2}`)}`;
const deliver = (onConflict: string) =>
  new Statement(
    (spelling) => `INSERT INTO ${spelling.table(DELIVERIES)}
        (endpoint_id, event_id, status, attempts, next_at, claimed_until)
      SELECT CAST($1 AS bigint), id, 'pending', 0, CAST($2 AS bigint), 0 FROM ${spelling.table('events')}
      WHERE ${selected(spelling, 3)} ORDER BY id
      ON CONFLICT (event_id, endpoint_id) ${onConflict}`,
  );
const AGAIN =
  "status = 'pending', attempts = 0, next_at = $2, claimed_until = 0, last_error = NULL";
const DELIVER = deliver('DO NOTHING');
const REPLAY = deliver(`DO UPDATE SET ${AGAIN}`);
const REPLAY_FAILED = new Statement(
  ({ table }) => `UPDATE ${table(DELIVERIES)} SET ${AGAIN}
    WHERE endpoint_id = $1 AND status = 'failed' AND event_id > $3 AND event_id <= $4`,
);
const REDELIVER = new Statement(
  ({ table }) => `UPDATE ${table(DELIVERIES)} SET ${AGAIN}
    WHERE id = $1 AND endpoint_id IN (SELECT id FROM ${table(ENDPOINTS)})`,
);
const COUNT = new Statement<{ count: number }>(
  (spelling) =>
    `SELECT count(*) AS count FROM ${spelling.table('events')} WHERE ${selected(spelling, 1)}`,
);
const FIRST_FROM = new Statement<{ id: Int64; at: number }>(
  ({ table }) => `SELECT id, at FROM ${table('events')} WHERE id >= $1 ORDER BY id LIMIT 1`,
  ['id'],
);

const ENABLED = new Statement<{ url: string }>(
  ({ table }) => `SELECT url FROM ${table(ENDPOINTS)} WHERE id = $1 AND status = 'enabled'`,
);
const DUE = new Statement<StoredDelivery>(
  ({ table, lock }) => `SELECT ${DELIVERY} FROM ${table(DELIVERIES)}
    WHERE endpoint_id = $2 AND ${isDue} ORDER BY next_at, id LIMIT $3 ${lock('FOR UPDATE SKIP LOCKED')}`,
  DELIVERY_INT64S,
);
const CLAIM = new Statement(
  ({ table, among }) =>
    `UPDATE ${table(DELIVERIES)} SET claimed_until = $2 WHERE ${among('id', '$1')}`,
);
const GENERATION = new Statement<Pick<Feed, 'generation'>>(
  ({ table }) => `SELECT generation FROM ${table('event_feed')}`,
);
const EVENTS_AMONG = new Statement<ListedRow>(
  (spelling) => `SELECT ${listedColumns(spelling)} FROM ${spelling.table('events')} AS events
    WHERE ${spelling.among('id', '$1')}`,
  int64FieldsOf(EVENTS) as 'id'[],
);
const SETTLE = new Statement(
  ({
    table,
  }) => `UPDATE ${table(DELIVERIES)} SET status = $1, attempts = $2, next_at = $3, attempted_at = $4,
    duration_ms = $5, last_status = $6, last_error = $7, claimed_until = 0 WHERE id = $8 AND claimed_until = $9`,
);
const SET_FAILING = new Statement(
  ({ table }) => `UPDATE ${table(ENDPOINTS)} SET failing_since = CAST($1 AS bigint)
    WHERE id = $2 AND (failing_since IS NULL) <> (CAST($1 AS bigint) IS NULL)`,
);

const toListed = ({
  type,
  collection,
  resourceId,
  ...delivery
}: StoredDelivery & ListedRow): ListedDelivery => ({
  ...delivery,
  ...wordsOf({ type, collection, resourceId }),
});

/** Locks deliveries before their endpoint. */
export class StoredWebhooks
  extends StoredResources<WebhookEndpoint, Omit<WebhookEndpoint, 'id'>, Record<never, never>>
  implements WebhookReader, WebhookStore
{
  constructor(sql: Sql) {
    super(STATEMENTS, sql);
  }

  listEndpoints(afterId: Int64 | undefined, count: number): MaybePromise<WebhookEndpoint[]> {
    return this.page({ filters: {}, sort: DEFAULT_SORT }, afterId, count);
  }

  secretsOf(endpointId: Int64, now: number): MaybePromise<Uint8Array[]> {
    return chain(this.sql.read(SECRETS_OF, endpointId, now), (rows) =>
      rows.map(({ secret }) => secret),
    );
  }

  allSecrets(): MaybePromise<StoredSecret[]> {
    return chain(this.sql.read(ALL_SECRETS), (rows) => [...rows]);
  }

  listDeliveries(
    endpointId: Int64,
    beforeId: Int64 | undefined,
    count: number,
  ): MaybePromise<ListedDelivery[]> {
    return chain(this.sql.read(LIST_DELIVERIES, endpointId, beforeId ?? INT64_MAX, count), (rows) =>
      rows.map(toListed),
    );
  }

  work(now: number): MaybePromise<EndpointWork[]> {
    return chain(this.sql.read(WORK, now), (rows) =>
      rows.map(({ id, isFailing, isBehind, dueAt }) => ({
        id,
        isFailing: Boolean(isFailing),
        isBehind: Boolean(isBehind),
        isDue: dueAt !== null,
      })),
    );
  }

  totals(now: number): MaybePromise<WebhookTotals> {
    return chain(this.sql.find(TOTALS, now), (totals) => totals as WebhookTotals);
  }

  add(endpoint: NewWebhookEndpoint): MaybePromise<WebhookEndpoint> {
    return chain(this.#newest(), (fannedOutTo) => this.insert({ ...endpoint, fannedOutTo }));
  }

  override replace(endpoint: WebhookEndpoint): MaybePromise<void> {
    return runSteps(this.#replace(endpoint));
  }

  *#replace(endpoint: WebhookEndpoint): Steps<void> {
    const before = yield* wait(this.get(endpoint.id));
    const isEnabled = endpoint.status === 'enabled' && before?.status !== 'enabled';
    const fannedOutTo = isEnabled ? yield* wait(this.#newest()) : endpoint.fannedOutTo;
    yield* wait(this.update({ ...endpoint, fannedOutTo }));
    const { id, status, disabledReason } = endpoint;
    if (status === 'disabled' && before?.status === 'enabled')
      this.record('disabled', id, { data: { id, disabledReason } });
  }

  override remove(id: Int64): MaybePromise<void> {
    return chain(this.sql.change(this.statements.delete, id), () => {});
  }

  #newest(): MaybePromise<Int64> {
    return chain(this.sql.find(NEWEST), (row) => row?.newest ?? 0);
  }

  disableRestored(): MaybePromise<number> {
    return chain(this.sql.change(GIVE_UP), () => this.sql.change(DISABLE_ALL));
  }

  addSecret({
    endpointId,
    secret,
    createdAt,
  }: Omit<StoredSecret, 'id' | 'expiresAt'>): MaybePromise<void> {
    const added = this.sql.insert(ADD_SECRET, [endpointId, secret, createdAt, null]);
    return chain(added, () => {});
  }

  endSecrets(endpointId: Int64, expiresAt: number): MaybePromise<void> {
    return chain(this.sql.change(REMOVE_SECRETS, endpointId), () =>
      chain(this.sql.change(END_SECRETS, expiresAt, endpointId), () => {}),
    );
  }

  reseal(id: Int64, secret: Uint8Array): MaybePromise<void> {
    return chain(this.sql.change(RESEAL, secret, id), () => {});
  }

  fanOut(endpointId: Int64, count: number, now: number): MaybePromise<void> {
    return runSteps(this.#fanOut(endpointId, count, now));
  }

  *#fanOut(endpointId: Int64, count: number, now: number): Steps<void> {
    const { sql } = this;
    const endpoint = yield* wait(sql.find(FANNED_OUT_TO, endpointId));
    if (endpoint === undefined) return;
    const row = yield* wait(sql.find(LAST_OF_NEXT, endpoint.fannedOutTo, count));
    const last = row?.last ?? null;
    if (last === null) return;
    const range = [endpoint.fannedOutTo, last, this.#codesOf(endpoint)] as const;
    yield* wait(sql.change(DELIVER, endpointId, now, ...range));
    yield* wait(sql.change(SET_FANNED_OUT, last, endpointId));
  }

  /** The parameter for the types of an endpoint. */
  #codesOf = (endpoint: Pick<WebhookEndpoint, 'types'>) =>
    this.sql.listOf(typesOf(endpoint).map((type) => CODES[type].type));

  claim(...args: Parameters<WebhookStore['claim']>): MaybePromise<ClaimedDelivery[]> {
    return runSteps(this.#claim(...args));
  }

  *#claim(endpointId: Int64, count: number, now: number, until: number): Steps<ClaimedDelivery[]> {
    const { sql } = this;
    const endpoint = yield* wait(sql.find(ENABLED, endpointId));
    if (endpoint === undefined) return [];
    const due = yield* wait(sql.read(DUE, now, endpointId, count));
    if (due.length === 0) return [];
    yield* wait(sql.change(CLAIM, sql.listOf(due.map(({ id }) => id)), until));
    const rows = yield* wait(sql.read(EVENTS_AMONG, sql.listOf(due.map(({ eventId }) => eventId))));
    const events = new Map(rows.map((row) => [row.id, toListedEvent(row)]));
    const secrets = yield* wait(this.secretsOf(endpointId, now));
    const feed = yield* wait(sql.find(GENERATION));
    const common = {
      url: endpoint.url,
      generation: feed?.generation ?? '',
      secrets,
      claimedUntil: until,
    };
    return due.flatMap((delivery) => {
      const event = events.get(delivery.eventId);
      return event === undefined ? [] : [{ ...delivery, ...common, event }];
    });
  }

  settle(id: Int64, claimedUntil: number, state: DeliveryState): MaybePromise<boolean> {
    const { status, attempts, nextAt, attemptedAt, durationMs, lastStatus, lastError } = state;
    const values = [status, attempts, nextAt, attemptedAt, durationMs, lastStatus, lastError];
    return chain(this.sql.change(SETTLE, ...values, id, claimedUntil), (count) => count > 0);
  }

  setFailing(endpointId: Int64, since: number | undefined): MaybePromise<void> {
    return chain(this.sql.change(SET_FAILING, since ?? null, endpointId), () => {});
  }

  replay(...args: Parameters<WebhookStore['replay']>): MaybePromise<number | undefined> {
    return runSteps(this.#replay(...args));
  }

  *#replay(
    endpoint: WebhookEndpoint,
    { after, until, onlyFailed }: ReplayRange,
    now: number,
    most: number,
  ): Steps<number | undefined> {
    const { sql } = this;
    // Later events get their first deliveries anyhow, but not those that a disabled endpoint misses.
    const end = endpoint.status === 'enabled' ? endpoint.fannedOutTo : yield* wait(this.#newest());
    const first = yield* this.#before(after, end);
    const last = yield* this.#before(until, end);
    const codes = this.#codesOf(endpoint);
    const found = yield* wait(sql.find(COUNT, first, last, codes));
    if ((found?.count ?? 0) > most) return undefined;
    const due = [endpoint.id, now, first, last] as const;
    return onlyFailed
      ? yield* wait(sql.change(REPLAY_FAILED, ...due))
      : yield* wait(sql.change(REPLAY, ...due, codes));
  }

  /** The position of the last event before a time, up to a position. Times ascend with positions, but for a clock that was set. */
  *#before(time: number, end: Int64): Steps<Int64> {
    let low = 0n;
    let high = BigInt(end);
    while (low < high) {
      const middle = (low + high) / 2n + 1n;
      const event = yield* wait(this.sql.find(FIRST_FROM, middle));
      if (event !== undefined && event.at < time) low = event.id < high ? BigInt(event.id) : high;
      else high = middle - 1n;
    }
    return low;
  }

  redeliver(id: Int64, now: number): MaybePromise<boolean> {
    return chain(this.sql.change(REDELIVER, id, now), (count) => count > 0);
  }
}
