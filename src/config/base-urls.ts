import type { BaseUrls } from '../http/document/openapi.ts';
import type { Config } from './config.ts';

/** The origin that a client on this machine can connect to. A wildcard address becomes the loopback address. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The base URLs of both environments. The default of the own environment is this service's origin. */
export function baseUrlsOf(
  config: Pick<Config, 'environment' | 'baseUrl' | 'stagingBaseUrl'>,
  ownOrigin: string,
): BaseUrls {
  const { environment, baseUrl, stagingBaseUrl } = config;
  const defaults = { production: 'http://127.0.0.1:8080/v1', staging: 'http://127.0.0.1:8081/v1' };
  defaults[environment] = `${ownOrigin}/v1`;
  return {
    production: baseUrl ?? defaults.production,
    staging: stagingBaseUrl ?? defaults.staging,
  };
}
