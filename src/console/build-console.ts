import page from '../../console/index.html';
import notices from './notices.txt' with { type: 'text' };

/** One file of the console, as it is built. */
export interface BuiltFile {
  /** A name that changes with the content. That of the page is `index.html`. */
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Builds the console in memory: the sources need no step before the service starts. An executable made by
 * `bun build --compile` contains the files as they were built then.
 * @throws AggregateError if the sources do not compile.
 */
export const buildConsole = (): Promise<BuiltFile[]> =>
  page.files === undefined ? buildFrom(page.index) : readEmbedded(page.files);

async function buildFrom(entrypoint: string): Promise<BuiltFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [entrypoint],
    minify: true,
    // Without it, the development version of React is included.
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return Promise.all(outputs.map((output) => toFile(output.path, output)));
}

const readEmbedded = (files: NonNullable<typeof page.files>): Promise<BuiltFile[]> =>
  Promise.all(files.map(({ path }) => toFile(path, Bun.file(path))));

/** The licences of its packages must accompany the script, and the bundler removes them. */
const NOTICE = `/*!\n${notices}*/\n`;

async function toFile(path: string, blob: Blob): Promise<BuiltFile> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const text = await blob.text();
  return {
    name: name.endsWith('.html') ? PAGE_NAME : name,
    contentType: blob.type,
    text: name.endsWith('.js') ? NOTICE + text : text,
  };
}

export const PAGE_NAME = 'index.html';
