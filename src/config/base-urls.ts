import type { BaseUrls } from '../http/document/openapi.ts';
import type { Config } from './config.ts';

/** An address that can be connected to, for one that may stand for all addresses. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The base addresses of both environments. */
export function baseUrlsOf(
  config: Pick<Config, 'environment' | 'baseUrl' | 'stagingBaseUrl'>,
  ownOrigin: string,
): BaseUrls {
  const { environment, baseUrl, stagingBaseUrl } = config;
  const fallback = { production: 'http://127.0.0.1:8080/v1', staging: 'http://127.0.0.1:8081/v1' };
  fallback[environment] = `${ownOrigin}/v1`;
  return {
    production: baseUrl ?? fallback.production,
    staging: stagingBaseUrl ?? fallback.staging,
  };
}
