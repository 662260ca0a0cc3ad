import { processorTime } from './processor-time.ts';
import type { RunningServer, Sample } from './server.ts';

/** Adds the processor time per request that the server and its PostgreSQL use during `work`. */
export async function withProcessorTime<T extends { readonly requests: number }>(
  { process, postgres }: RunningServer,
  work: () => Promise<T>,
): Promise<T & Pick<Sample, 'processorMicroseconds' | 'databaseMicroseconds'>> {
  const read = () => [process, postgres].map((one) => (one ? processorTime(one.pid) : 0));
  const [before = 0, databaseBefore = 0] = read();
  const figures = await work();
  const [after = 0, databaseAfter = 0] = read();
  return {
    ...figures,
    processorMicroseconds: (after - before) / figures.requests,
    ...(postgres && { databaseMicroseconds: (databaseAfter - databaseBefore) / figures.requests }),
  };
}
