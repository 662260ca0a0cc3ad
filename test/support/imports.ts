import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The relative imports of a TypeScript file, types included, as paths from the project's root. */
const importsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/\b(?:from|import|import\()\s*'(\.[^']+\.tsx?)'/g)].map(
    ([, specifier = '']) => join(dirname(path), specifier),
  );

/** The imports of every TypeScript file in some folders. */
export function importGraph(...folders: readonly string[]): Map<string, string[]> {
  const paths = folders.flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync('.'),
  ]);
  const own = paths.filter((path) => !path.includes('node_modules'));
  return new Map(own.sort().map((path) => [path, importsOf(path)]));
}

/** A circular path through the graph, if there is one. */
export function findCircle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const search = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = search(next, [...path, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = search(node, []);
    if (circle) return circle;
  }
  return undefined;
}
