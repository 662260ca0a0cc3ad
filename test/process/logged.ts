import { type LogLine, parseLog } from '../support/process.ts';

/** The lines of one event in a log. */
export const logged = (stdout: string, event: string): LogLine[] =>
  parseLog(stdout).filter((line) => line['event.name'] === event);
