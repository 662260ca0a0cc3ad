import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../api-keys/keyring.ts';
import { createApp } from '../app.ts';
import type { Clock, MonotonicClock } from '../clock.ts';
import { baseUrlsOf, originOf, ownBaseUrl } from '../config/base-urls.ts';
import type { Config } from '../config/config.ts';
import { canonicalAddress } from '../http/request/client-address.ts';
import { respondLastResort } from '../http/response/respond.ts';
import { chain } from '../maybe-promise.ts';
import { family, type MetricFamily, single } from '../observe/metrics/families.ts';
import { storageFamilies } from '../observe/metrics/storage-metrics.ts';
import type { Observe } from '../observe/observation.ts';
import type { Database } from '../storage/database.ts';
import { createSender } from '../webhooks/webhook-sender.ts';
import { createUsageCounter, startBackgroundJobs } from './background-jobs.ts';
import { DatabaseMonitor } from './database-monitor.ts';
import { feedGauges } from './feed-gauges.ts';
import { batchRequests } from './request-batching.ts';
import { asksForClose, dropBody, hasUnreadBody } from './unread-bodies.ts';

export interface ServerDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly observe: Observe;
  readonly clock: Clock & MonotonicClock;
  readonly generateRequestId: () => string;
  /** Whether other processes listen on the same port. The system assigns each connection to one of them. */
  readonly sharesPort?: boolean;
}

export interface StopOptions {
  /** How long requests are still accepted. The responses already ask clients to close their connection. 0 by default. */
  readonly delayMs?: number;
  /** Whether another process already listens on the same port: `/readyz` then stays 200. False by default. */
  readonly hasSuccessor?: boolean;
}

export interface RunningServer {
  /** Where the server listens, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly port: number;
  /** The metrics that are read at a scrape. */
  readonly metrics: () => Promise<readonly MetricFamily[]>;
  readonly baseUrl: string;
  /**
   * Shuts down gracefully: waits for the delay, accepts no new requests, drains, flushes usage, and closes the
   * database. A second call returns the promise of the first; without a successor, it still makes `/readyz` 503.
   */
  stop(reason: string, options?: StopOptions): Promise<void>;
}

/**
 * A request is lost that a client sends while the server closes its idle connection. The client should close first: nginx does
 * after 60 s, clients in Go after 90 s, Caddy after 120 s. The runtime closes up to 4 s early.
 */
const MIN_IDLE_TIMEOUT_SECONDS = 125;

/**
 * Longer than the request timeout, because the runtime does not count the bytes of an upload as activity. The service itself
 * then responds to a slow upload.
 */
const idleTimeoutSeconds = (requestTimeoutMs: number): number =>
  Math.max(MIN_IDLE_TIMEOUT_SECONDS, Math.ceil(requestTimeoutMs / 1000) + 5);

/** More than the service accepts, so that the service itself rejects a large body, with an Error body. */
const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;

/** Listens, and starts the background jobs. */
export function startServer(config: Config, deps: ServerDeps): RunningServer {
  const { database } = deps;
  const monitor = new DatabaseMonitor(database, deps.observe);
  const { observe } = monitor;
  const usage = createUsageCounter(database, deps.clock);
  let stopping = false;
  let isReady = true;
  let lastResponses = 0;

  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    reusePort: deps.sharesPort === true,
    idleTimeout: idleTimeoutSeconds(config.requestTimeoutMs),
    maxRequestBodySize: MAX_UPLOAD_BYTES,
    development: false,
    // An error outside of the app is a bug. The runtime would send its details to the client.
    error: (error) => {
      observe({ kind: 'request_failed', requestId: '', error });
      return withDate(respondLastResort(), deps.clock);
    },
    fetch: batchRequests(
      // `app` is initialized below: no request arrives before this function returns.
      (request: Request, arrivedMs) =>
        chain(app.fetch(request, arrivedMs), (response) => {
          if (request.method === 'HEAD') withDate(response, deps.clock);
          if (stopping) {
            lastResponses += 1;
            // The client is to send no further request on this connection (RFC 9112, 9.6).
            response.headers.set('Connection', 'close');
          }
          return hasUnreadBody(request) && (stopping || asksForClose(request))
            ? chain(dropBody(request), () => response)
            : response;
        }),
      database,
    ),
  });
  const port = server.port ?? config.port;
  const origin = originOf(config.host, port);
  const baseUrls = baseUrlsOf(config, origin);
  const baseUrl = ownBaseUrl(config, origin);
  const sender = createSender(config, deps.clock);
  const app = createApp({
    ...deps,
    observe,
    usage,
    baseUrls,
    baseUrl,
    sender,
    options: {
      extensions: config.extensions,
      console: config.console,
      requireIfMatch: config.requireIfMatch,
      requireKnownCategory: config.requireKnownCategory,
      requestTimeoutMs: config.requestTimeoutMs,
      rateLimit: config.rateLimit,
      eventStreams: config.eventStreams,
      orderHoldMs: config.orderHoldMinutes * 60_000,
      corsOrigins: config.corsOrigins ?? [],
    },
    addressOf: config.logClientAddress
      ? (request) => addressOf(request, server, config.trustProxy)
      : undefined,
    isStopping: () => !isReady,
    // A client may pause for longer than the runtime keeps an idle connection: the stream has limits of its own.
    keepOpen: (request) => server.timeout(request, 0),
  });

  const readFeed = feedGauges(database.read.events, app.streams, deps.clock);
  monitor.start();
  const { orderRetentionMs, eventRetentionMs } = config;
  const retentions = { orderRetentionMs, eventRetentionMs };
  const webhooks =
    sender && config.extensions ? { sender, concurrency: config.webhookConcurrency } : undefined;
  const jobs = startBackgroundJobs({ ...deps, ...retentions, observe, usage, webhooks });

  const shutDown = async (reason: string, delayMs: number, quiet: QuietPeriod): Promise<void> => {
    stopping = true;
    observe({ kind: 'shutdown_started', reason, delaySeconds: delayMs / 1000 });
    if (delayMs > 0) await sleep(delayMs);
    app.streams.stop();
    const attemptsEnd = jobs.stopWebhooks(config.shutdownTimeoutMs);
    await untilQuiet(() => lastResponses, quiet);
    await Promise.race([
      server.stop(),
      untilUnused(() => server.pendingRequests),
      sleep(config.shutdownTimeoutMs, undefined, { ref: false }),
    ]);
    const activeRequests = server.pendingRequests;
    if (activeRequests > 0) observe({ kind: 'drain_timeout', activeRequests });
    server.stop(true);
    await attemptsEnd;
    await jobs.stop();
    monitor.stop();
    await database.close();
    observe({ kind: 'shutdown_finished' });
  };
  let stopped: Promise<void> | undefined;

  return {
    origin,
    port,
    metrics: async () => [
      single('animal_store_http_requests_in_progress', server.pendingRequests - app.streams.open),
      family(
        'animal_store_background_job_consecutive_failures',
        [...jobs.failures()].map(([name, value]) => ({ labels: { name }, value })),
      ),
      ...storageFamilies(database.measure()),
      ...(await readFeed()),
    ],
    baseUrl,
    stop(reason, { delayMs = 0, hasSuccessor = false } = {}) {
      if (!hasSuccessor) isReady = false;
      stopped ??= shutDown(reason, delayMs, hasSuccessor ? BEFORE_REPLACEMENT : BEFORE_STOP);
      return stopped;
    },
  };
}

/** How long to stay idle before closing connections, in milliseconds, and how long to wait for it. */
interface QuietPeriod {
  readonly pauseMs: number;
  readonly maxPauses: number;
}

/** A turn of the event loop. Clients open connections until the process stops listening, so the limit is short. */
const BEFORE_STOP: QuietPeriod = { pauseMs: 0, maxPauses: 50 };

/** Longer because clients then have time to open connections to other workers. */
const BEFORE_REPLACEMENT: QuietPeriod = { pauseMs: 250, maxPauses: 20 };

/** Waits for a pause without a response. */
async function untilQuiet(
  countResponses: () => number,
  { pauseMs, maxPauses }: QuietPeriod,
): Promise<void> {
  for (let pause = 0; pause < maxPauses; pause += 1) {
    const before = countResponses();
    await sleep(pauseMs);
    // After a long turn of the event loop, lets the runtime read requests that arrived during it.
    await sleep(0);
    if (countResponses() === before) return;
  }
}

/** Waits for a second without a request in progress. The runtime does not close a connection on which bytes followed a response. */
async function untilUnused(countRequests: () => number): Promise<void> {
  for (let pauses = 0; pauses < 4; pauses = countRequests() === 0 ? pauses + 1 : 0) {
    await sleep(250, undefined, { ref: false });
  }
}

/** Sets the Date header (RFC 9110, 6.6.1), which the runtime omits from some responses to HEAD. */
function withDate(response: Response, clock: Clock): Response {
  response.headers.set('Date', new Date(clock.now()).toUTCString());
  return response;
}

/**
 * The client's address: the last entry of X-Forwarded-For if the proxy is trusted, else the address of the
 * connection. The trusted proxy added the last entry; earlier entries come from the client. If the last entry is not an
 * address, the address of the connection is used.
 */
function addressOf(request: Request, server: Bun.Server<undefined>, trustProxy: boolean): string {
  const forwarded = trustProxy ? request.headers.get('x-forwarded-for') : null;
  const last = forwarded?.slice(forwarded.lastIndexOf(',') + 1).trim() ?? '';
  return canonicalAddress(last) ?? canonicalAddress(server.requestIP(request)?.address ?? '') ?? '';
}
