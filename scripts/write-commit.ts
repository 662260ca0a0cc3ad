/** Writes the commit of the checkout into a file of the package. npm runs it before it packs. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findCommit } from '../src/cli/versions.ts';

writeFileSync(fileURLToPath(new URL('../commit.txt', import.meta.url)), `${findCommit()}\n`);
