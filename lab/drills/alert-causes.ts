import { expect } from 'bun:test';
import { alertRules } from '../../test/support/alert-rules.ts';
import { type Scrape, scrape } from '../../test/support/metrics.ts';
import { type RunningService, until } from '../../test/support/process.ts';

const COMPARE: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};

const EXPRESSION =
  /^(?:(increase)\()?([a-z_]+)(?:\{(.*?)\})?(?:\[5m\]\))?(?: ([/-]) ([a-z_]+)\{.*?\})? (==|>|<) ([0-9.]+)(?: or absent\(up\{.*?\}\))?$/;

/** The two forms with a time. Without the series there is no alert, nor with 0, whose past only the drill has. */
const TIME_EXPRESSION =
  /^(?:time\(\) - ([a-z_]+)\{.*?\} > ([0-9]+) and \(\1\{.*?\} != 0 or .*\)|([a-z_]+)\{.*?\} - time\(\) < ([0-9]+))$/;

function isTimeOver(expr: string, now: Scrape, seconds: number): boolean | undefined {
  const parts = TIME_EXPRESSION.exec(expr);
  if (parts === null) return undefined;
  const [, before = '', minAge, after = '', maxRest] = parts;
  if (minAge !== undefined) return seconds - (now.sum(before) || seconds) > Number(minAge);
  return (now.sum(after) ?? Number.POSITIVE_INFINITY) - seconds < Number(maxRest);
}

const QUANTILE_EXPRESSION =
  /^histogram_quantile\(([0-9.]+), sum by \(job, instance, le\) \(rate\(([a-z_]+)\{.*?\}\[5m\]\)\)\) > ([0-9.]+)$/;

/** Whether the bucket that contains the quantile is above a limit, which must be the bound of a bucket. */
function isQuantileOver(expr: string, before: Scrape, now: Scrape): boolean | undefined {
  const parts = QUANTILE_EXPRESSION.exec(expr);
  if (parts === null) return undefined;
  const [, quantile, name = '', limit = ''] = parts;
  const increase = (le: string) => (now.sum(name, { le }) ?? 0) - (before.sum(name, { le }) ?? 0);
  if (now.sum(name) === undefined) return false;
  if (now.sum(name, { le: limit }) === undefined) throw new Error(`No bucket ends at ${limit}.`);
  return increase(limit) < Number(quantile) * increase('+Inf');
}

/**
 * Whether the condition of an alert is true. It knows the few forms of PromQL that the rules have; the drill has
 * Prometheus evaluate them.
 * @param before the scrape five minutes ago.
 * @param now undefined if the scrape failed.
 * @param seconds the time of Prometheus.
 * @throws if it does not know the form.
 */
function isTrue(
  expr: string,
  before: Scrape,
  now: Scrape | undefined,
  seconds = Date.now() / 1_000,
): boolean {
  const special = now && (isTimeOver(expr, now, seconds) ?? isQuantileOver(expr, before, now));
  return special ?? isOver(expr, before, now);
}

function isOver(expr: string, before: Scrape, now: Scrape | undefined): boolean {
  const parts = EXPRESSION.exec(expr);
  if (parts === null) throw new Error(`This form of PromQL is not known: ${expr}`);
  const [, increase, name = '', selector = '', operator, otherName = '', comparison, limit] = parts;
  const compare = COMPARE[comparison ?? ''] ?? (() => false);
  if (name === 'up') return compare(now === undefined ? 0 : 1, Number(limit));
  if (now === undefined) return false;
  const labels = Object.fromEntries(
    [...selector.matchAll(/([a-z_]+)="(.*?)"/g)]
      .map(([, label = '', value = '']) => [label, value] as const)
      .filter(([label]) => label !== 'job'),
  );
  const left = now.sum(name, labels);
  if (left === undefined) throw new Error(`There is no series of ${expr}`);
  if (increase) return compare(left - (before.sum(name, labels) ?? 0), Number(limit));
  const other = otherName === '' ? undefined : now.sum(otherName);
  if (other === undefined) return compare(left, Number(limit));
  return compare(operator === '/' ? left / other : left - other, Number(limit));
}

/** Reads the metrics of a service. */
export type Read = () => Promise<Scrape | undefined>;

/** Causes the faults of alerts. */
export class AlertCauses {
  /** The alerts whose conditions became true. */
  readonly caused = new Set<string>();
  /** The names of all series that were scraped during a fault. */
  readonly scraped = new Set<string>();

  /** Causes a fault, and waits until the conditions of its alerts are true. They were false before. */
  async cause(
    alerts: readonly string[],
    service: RunningService,
    fault: () => unknown,
    read: Read = () => scrape(service),
    /** How much later it is for Prometheus after the fault. */
    laterSeconds = 0,
  ): Promise<void> {
    const rules = alertRules().filter(({ alert }) => alerts.includes(alert));
    expect(rules.map(({ alert }) => alert).sort()).toEqual([...alerts].sort());
    const first = await read();
    if (first === undefined) throw new Error('The service serves no metrics.');
    let before = first;
    // A standby may lag behind for a moment, and a job fail after the fault before this one.
    await until(async () => {
      before = (await read()) ?? before;
      return !rules.some(({ expr }) => isTrue(expr, before, before));
    });
    const ended = fault();
    const expected = new Set(rules);
    // Conditions may be true at different times.
    await until(async () => {
      const now = await read().catch(() => undefined);
      for (const { name } of now?.series ?? []) this.scraped.add(name);
      for (const rule of expected) {
        const seconds = Date.now() / 1_000 + laterSeconds;
        if (!isTrue(rule.expr, before, now, seconds)) continue;
        expected.delete(rule);
        this.caused.add(rule.alert);
      }
      return expected.size === 0;
    });
    await ended;
  }
}
