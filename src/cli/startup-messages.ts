import type { Config } from '../config/config.ts';
import type { FirstKey } from '../server/first-key.ts';
import { withoutPassword } from '../storage/database-url.ts';
import type { Io } from './io.ts';

export function printReady(
  io: Io,
  config: Config,
  baseUrl: string,
  origin: string,
  metricsUrl?: string,
): void {
  const workers = config.workers > 1 ? ` with ${config.workers} workers` : '';
  const database = withoutPassword(config.database);
  const console = config.console && config.extensions ? ` Console: ${origin}/` : '';
  const metrics = metricsUrl === undefined ? '' : ` Metrics: ${metricsUrl}`;
  io.message(
    `Animal Store serves ${baseUrl} from ${database}${workers}. Documentation: ${origin}/docs${console}${metrics}`,
  );
}

export function printFirstKey(io: Io, firstKey: FirstKey, origin: string): void {
  const isSecret = 'secret' in firstKey;
  const message = isSecret
    ? ['This is the first API key. It is shown only once:', '', `  ${firstKey.secret}`]
    : [`The first API key is in ${firstKey.file}. It is shown nowhere else.`];
  const header = isSecret
    ? `'Authorization: Bearer ${firstKey.secret}'`
    : `"Authorization: Bearer $(cat ${quoteForShell(firstKey.file)})"`;
  const command = `  curl -H ${header} ${origin}/v1/pets`;
  io.message(['', ...message, '', 'Try it:', '', command, '']);
}

export const printWarning = (io: Io, warning: string): void =>
  io.message(`animal-store: warning: ${warning}`);

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
