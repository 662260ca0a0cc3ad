import type { BaseUrls } from '../http/document/openapi.ts';
import type { Config } from './config.ts';

/** The origin that a client on this machine can connect to. A wildcard address becomes the loopback address. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Whether only this machine can reach an address. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1|::ffff:127(?:\.[0-9]{1,3}){3})$/i.test(host);

type Settings = Pick<Config, 'environment' | 'baseUrl' | 'stagingBaseUrl'>;

/** The base URL of this service as clients see it. The default is the origin that it listens on. */
export function ownBaseUrl(config: Settings, ownOrigin: string): string {
  const { environment, baseUrl, stagingBaseUrl } = config;
  return (environment === 'production' ? baseUrl : stagingBaseUrl) ?? `${ownOrigin}/v1`;
}

/** The base URLs of both environments. That of the other environment is undefined unless it is set. */
export const baseUrlsOf = (config: Settings, ownOrigin: string): BaseUrls => ({
  production: config.baseUrl,
  staging: config.stagingBaseUrl,
  [config.environment]: ownBaseUrl(config, ownOrigin),
});
