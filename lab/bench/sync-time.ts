import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Spread, spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const SYNCS = 300;
const PAGE = Buffer.alloc(4096, 1);

/** How long the disk takes to store a page for good, in milliseconds. Each creation waits for such a sync, alone or with others. */
export function measureSyncs(workspace: Workspace): Spread {
  const file = openSync(join(workspace.folder('syncs'), 'pages'), 'w');
  const milliseconds: number[] = [];
  for (let sync = 0; sync < SYNCS; sync += 1) {
    writeSync(file, PAGE);
    const startedAt = performance.now();
    fdatasyncSync(file);
    milliseconds.push(performance.now() - startedAt);
  }
  closeSync(file);
  return spreadOf(milliseconds);
}
