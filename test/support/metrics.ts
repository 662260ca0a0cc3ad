import type { RunningService } from './process.ts';

/** One series of a scrape. */
interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scrape {
  readonly text: string;
  readonly series: readonly Series[];
  /** The type of each metric. */
  readonly types: ReadonlyMap<string, string>;
  /** The sum of the series with a name and these labels. Undefined if there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Where a service with `--metrics-port` serves its metrics. */
export const metricsUrl = ({ stderr }: Pick<RunningService, 'stderr'>): string =>
  / Metrics: (\S+)\n/.exec(stderr())?.[1] ?? '';

/** Reads the metrics of a service. */
export async function scrape(service: Pick<RunningService, 'stderr'>): Promise<Scrape> {
  const response = await fetch(metricsUrl(service));
  if (response.status !== 200) throw new Error(`The scrape got ${response.status}.`);
  return parseScrape(await response.text());
}

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;

export function parseScrape(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '');
  const series = lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = LINE.exec(line) ?? [];
      if (name === '') throw new Error(`This is no series: ${line}`);
      const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', content = '']) => [label, content])),
        value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
      };
    });
  const types = lines.flatMap((line): [string, string][] => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name !== undefined && type !== undefined ? [[name, type]] : [];
  });
  return {
    text,
    series,
    types: new Map(types),
    sum(name, labels = {}) {
      const found = series.filter(
        (one) =>
          one.name === name &&
          Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}
