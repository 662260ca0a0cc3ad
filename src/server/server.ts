import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../api-keys/keyring.ts';
import { createApp } from '../app.ts';
import type { Clock, MonotonicClock } from '../clock.ts';
import { baseUrlsOf, originOf } from '../config/base-urls.ts';
import type { Config } from '../config/config.ts';
import { canonicalAddress } from '../http/request/client-address.ts';
import { respondLastResort } from '../http/response/respond.ts';
import { chain } from '../maybe-promise.ts';
import type { Observe } from '../observe/observation.ts';
import { UsageCounter } from '../observe/usage.ts';
import type { Database } from '../storage/database.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import { batchRequests } from './request-batching.ts';

export interface ServerDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly observe: Observe;
  readonly clock: Clock & MonotonicClock;
  readonly generateRequestId: () => string;
  /** Whether other processes listen on the same port; the system gives each connection to one of them. */
  readonly sharesPort?: boolean;
}

export interface RunningServer {
  /** The address listened on, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** The base address that links begin with. */
  readonly baseUrl: string;
  /** Takes no more requests, finishes those under way, writes down what is left to write, closes the database. */
  stop(signal: string): Promise<void>;
}

/**
 * The runtime does not count the bytes of an upload as activity, so that its idle timeout must be
 * longer than a request may take: the answer to a slow one is then ours.
 */
const idleTimeoutSeconds = (requestTimeoutMs: number): number =>
  Math.max(60, Math.ceil(requestTimeoutMs / 1000) + 5);

/** More than the service accepts, so that the refusal is the service's own, with an Error body. */
const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;

export function startServer(config: Config, deps: ServerDeps): RunningServer {
  const { database, observe } = deps;
  const usage = new UsageCounter((counted) =>
    database.write((stores) => stores.usage.add(counted)),
  );
  let stopping = false;

  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    reusePort: deps.sharesPort === true,
    idleTimeout: idleTimeoutSeconds(config.requestTimeoutMs),
    maxRequestBodySize: MAX_UPLOAD_BYTES,
    development: false,
    // What fails outside of the app is a fault of ours; the runtime would show it to the client.
    error: (error) => {
      observe({ kind: 'request_failed', requestId: '', error });
      return dated(respondLastResort(), deps.clock);
    },
    fetch: batchRequests(
      // No request arrives before this function returns, so `app` is there by then.
      (request: Request, arrivedMs) =>
        chain(app.fetch(request, arrivedMs), (response) => {
          if (request.method === 'HEAD') dated(response, deps.clock);
          return stopping ? asLast(response) : response;
        }),
      database,
    ),
  });
  const origin = originOf(config.host, server.port ?? config.port);
  const baseUrls = baseUrlsOf(config, origin);
  const baseUrl = baseUrls[config.environment];
  const app = createApp({
    ...deps,
    usage,
    baseUrls,
    baseUrl,
    rules: {
      extensions: config.extensions,
      requireIfMatch: config.requireIfMatch,
      requireKnownCategory: config.requireKnownCategory,
      requestTimeoutMs: config.requestTimeoutMs,
      rateLimit: config.rateLimit,
      orderHoldMs: config.orderHoldMinutes * 60_000,
      corsOrigins: config.corsOrigins ?? [],
    },
    addressOf: (request) => addressOf(request, server, config.trustProxy),
    isStopping: () => stopping,
  });

  const finishHousekeeping = startBackgroundJobs({ ...deps, usage });

  return {
    origin,
    baseUrl,
    async stop(signal) {
      stopping = true;
      observe({ kind: 'shutdown_started', reason: signal });
      // Requests that have already arrived are read before the runtime closes connections without one.
      await sleep(0);
      const drained = await Promise.race([
        server.stop().then(() => true),
        sleep(config.shutdownTimeoutMs, false, { ref: false }),
      ]);
      if (!drained) {
        observe({ kind: 'drain_timeout', activeRequests: server.pendingRequests });
        server.stop(true);
      }
      await finishHousekeeping();
      await database.close();
      observe({ kind: 'shutdown_finished' });
    },
  };
}

/** Tells the client not to send another request on this connection (RFC 9112, 9.6): nobody will read it. */
function asLast(response: Response): Response {
  response.headers.set('Connection', 'close');
  return response;
}

/** Sets the Date that every answer has (RFC 9110, 6.6.1): the runtime leaves it out where HEAD has no content to send. */
function dated(response: Response, clock: Clock): Response {
  response.headers.set('Date', new Date(clock.now()).toUTCString());
  return response;
}

/**
 * The address that a request comes from: the connection's, or the last one in X-Forwarded-For, which the trusted
 * proxy added. What stands before it comes from the client. Where the last entry is no address, nothing is known but
 * the connection.
 */
function addressOf(request: Request, server: Bun.Server<undefined>, trustProxy: boolean): string {
  const forwarded = trustProxy ? request.headers.get('x-forwarded-for') : null;
  const last = forwarded?.slice(forwarded.lastIndexOf(',') + 1).trim() ?? '';
  return canonicalAddress(last) ?? canonicalAddress(server.requestIP(request)?.address ?? '') ?? '';
}

/**
 * A port that nobody else listens on: the given one, or for 0 any. Processes that share a port
 * would otherwise share it with another program, too.
 */
export async function findPort(hostname: string, port: number): Promise<number> {
  const probe = Bun.serve({ hostname, port, fetch: () => Promise.reject() });
  const found = probe.port ?? port;
  await probe.stop(true);
  return found;
}
