import { isIP } from 'node:net';
import { isLoopback, originOf } from '../config/base-urls.ts';
import type { Config } from '../config/config.ts';
import { NO_STORE } from '../http/contract/no-store.ts';
import { splitTarget } from '../http/request/context.ts';
import { INVALID_HOST, isValidHost } from '../http/request/host.ts';
import { respondText } from '../http/response/respond.ts';
import { negotiate, render } from '../observe/metrics/exposition.ts';
import type { Snapshot } from '../observe/metrics/families.ts';
import type { Observe } from '../observe/observation.ts';
import { explainListenError } from './listen-error.ts';

export interface MetricsServer {
  /** The URL of the metrics, such as `http://127.0.0.1:9464/metrics`. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Longer than usual scrape intervals: a process without file descriptors can still be scraped on an open connection. The
 * most that the runtime allows.
 */
const IDLE_TIMEOUT_SECONDS = 255;

/**
 * Serves the metrics, on a port of their own. Undefined if there is no `METRICS_PORT`.
 * @param collect returns the metrics of all processes. If it fails, the scrape gets a 500, and the error is reported.
 */
export async function serveMetrics(
  { metricsHost: host, metricsPort: port }: Pick<Config, 'metricsHost' | 'metricsPort'>,
  collect: () => Promise<readonly Snapshot[]>,
  observe: Observe,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // Without it, services of one user share the port: half of the scrapes show the other service.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      development: false,
      error: (error) => {
        observe({ kind: 'request_failed', requestId: '', error });
        return respondText(500, 'The metrics cannot be read.\n');
      },
      fetch: (request) => {
        // HTTP/1.0 needs no Host, and no browser sends it.
        const named = request.headers.get('host') ?? 'localhost';
        if (!isValidHost(named)) return respondText(400, `${INVALID_HOST}\n`);
        if (isLoopback(host) && !isThisMachine(named))
          return respondText(421, 'Use localhost or an IP address as the host.\n');
        return respondToScrape(request, collect);
      },
    });
    return {
      url: `${originOf(host, server.port ?? port)}/metrics`,
      stop: () => server.stop(true),
    };
  } catch (error) {
    throw await explainListenError(error, { host, port, flag: '--metrics-port' });
  }
}

/**
 * Whether a Host header names this machine by `localhost` or an IP address. A page whose name an attacker lets resolve to the
 * loopback address (DNS rebinding) sends its own name.
 */
function isThisMachine(named: string): boolean {
  const host = named.replace(/:[0-9]*$/, '');
  return /^(?:[^.]+\.)*localhost\.?$/i.test(host) || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

async function respondToScrape(
  request: Request,
  collect: () => Promise<readonly Snapshot[]>,
): Promise<Response> {
  if (splitTarget(request.url).path !== '/metrics') return respondText(404, 'Not found.\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return respondText(405, 'Method not allowed.\n', { Allow: 'GET, HEAD' });
  }
  const type = negotiate(request.headers.get('accept'));
  const text = await render(await collect(), type);
  return respondText(200, text, { ...NO_STORE, Vary: 'Accept', 'Content-Type': type });
}
