import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.ts';

/** Whether a path of the checkout reaches the build of the image. The last pattern that matches it, or a folder above it, decides. */
export function isInImageContext(path: string): boolean {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const parts = path.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = patterns.findLast((pattern) => {
    const glob = new Bun.Glob(pattern.replace(/^!/, ''));
    return paths.some((it) => glob.match(it));
  });
  return last === undefined || last.startsWith('!');
}
