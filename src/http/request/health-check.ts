/** The path of a health check. It is outside `/v1`, and needs no credential. */
export type HealthCheck = '/livez' | '/readyz';

export const isHealthCheck = (path: string | undefined): path is HealthCheck =>
  path === '/livez' || path === '/readyz';
