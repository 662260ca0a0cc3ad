import { readFileSync } from 'node:fs';
import { ROOT } from './process.ts';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook_url: string };
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
}

export const readDeployed = (path: string): string => readFileSync(`${ROOT}deploy/${path}`, 'utf8');

/** The alerts of deploy/prometheus/alerts.yml. */
export const alertRules = (): readonly AlertRule[] =>
  (Bun.YAML.parse(readDeployed('prometheus/alerts.yml')) as RuleFile).groups.flatMap(
    ({ rules }) => rules,
  );

/** The names of the metrics in PromQL or in a file that contains PromQL, without `up`. */
export const metricNames = (text: string): string[] => [
  ...new Set(text.match(/\b(?:animal_store|process)_[a-z_]+\b/g)),
];
