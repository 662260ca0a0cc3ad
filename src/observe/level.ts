/** What the log contains: the lines of this level and of those after it. `silent` is the level of no line. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level of a line. */
export type LineLevel = Exclude<LogLevel, 'silent'>;

/** Whether the log contains the lines of a level. */
export const isLogged = (line: LineLevel, log: LogLevel): boolean =>
  LOG_LEVELS.indexOf(line) >= LOG_LEVELS.indexOf(log);
