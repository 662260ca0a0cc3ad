/** What the log contains: the lines of this level and of those after it. `silent` is the level of no line. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LineLevel = Exclude<LogLevel, 'silent'>;

/** The levels of the lines that a log contains. */
export const loggedLevels = (log: LogLevel): ReadonlySet<LogLevel> =>
  new Set(LOG_LEVELS.slice(LOG_LEVELS.indexOf(log)));
