/** The texts of the screen. */
export const USAGE_TEXTS = {
  introduction: 'Calls in the last 30 days (UTC).',
  plot: 'Calls per day',
  total: 'Calls',
  everTotal: 'Total calls',
  operations: 'Operations',
  operation: 'Operation',
  deprecated: 'API keys that still call deprecated operations',
  deprecatedHint: 'Ask their users to change before the operations are removed.',
  nobody: 'None.',
  key: 'API key',
  lastCall: 'Last call',
  none: 'No calls yet',
  noneHint: 'Calls appear here within a minute.',
} as const;
