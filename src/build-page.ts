import { createHash } from 'node:crypto';

/** One file of a page, as it is built. */
export interface BuiltFile {
  /** A name that changes with the content. That of the page is `index.html`. */
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

export const PAGE_NAME = 'index.html';

/** Of files whose names change with their content. */
export const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Names a text in a policy (CSP Level 3), or in the attribute `integrity`. */
export const hashOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** The headers of a page, which may load only what the directives allow. No page may frame it. */
export const pageHeaders = (...directives: readonly string[]) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    ...directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
});

/**
 * Builds a page that was imported, in memory: the sources need no step before the service starts. An executable made by
 * `bun build --compile` contains the files as they were built then.
 * @throws AggregateError if the sources do not compile.
 */
export const buildPage = ({ index, files }: Bun.HTMLBundle): Promise<BuiltFile[]> =>
  files === undefined
    ? buildOnce(index)
    : Promise.all(files.map(({ path }) => toFile(path, Bun.file(path))));

/** By the path of the page. A test process starts many services, and the sources are the same for all of them. */
const builds = new Map<string, Promise<BuiltFile[]>>();

function buildOnce(entrypoint: string): Promise<BuiltFile[]> {
  const known = builds.get(entrypoint);
  if (known !== undefined) return known;
  const build = buildFrom(entrypoint);
  builds.set(entrypoint, build);
  // After a failure, such as too little memory, the next request tries again.
  build.catch(() => builds.delete(entrypoint));
  return build;
}

async function buildFrom(entrypoint: string): Promise<BuiltFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [entrypoint],
    minify: true,
    // A tsconfig.json of the folder in which the service starts, or of one above it, could name other sources.
    tsconfig: '/dev/null',
    // Without it, the development version of React is included.
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return Promise.all(outputs.map((output) => toFile(output.path, output)));
}

async function toFile(path: string, blob: Blob): Promise<BuiltFile> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    name: name.endsWith('.html') ? PAGE_NAME : name,
    contentType: blob.type,
    text: await blob.text(),
  };
}
