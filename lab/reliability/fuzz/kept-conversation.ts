import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../test/support/process.ts';
import type { Conversation } from './conversations.ts';

const FOLDER = 'lab/.cache/reliability';

/** Writes all that a conversation sent, and its problems, to a file. Returns the name of the file. */
export function keepConversation(conversation: Conversation, problems: readonly string[]): string {
  const { name, steps } = conversation;
  const path = `${FOLDER}/${name.replaceAll(' ', '-')}.json`;
  const sent = steps.map(({ pieces, ...step }) => ({
    ...{ pauseMs: step.pauseMs, pieces: pieces.map((piece) => piece.toString('latin1')) },
  }));
  mkdirSync(join(ROOT, FOLDER), { recursive: true });
  writeFileSync(
    join(ROOT, path),
    `${JSON.stringify({ ...conversation, problems, steps: sent }, null, 2)}\n`,
  );
  return path;
}

/** A line in which API keys are left out. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(/ask_(?:live|test)_\w*/g, '(a key)').replaceAll(/\s+/g, ' ');
