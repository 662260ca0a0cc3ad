/** Builds the service as one executable, by default dist/animal-store. It contains the runtime, the migrations and all pages. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const [outfile = `${ROOT}dist/animal-store`] = process.argv.slice(2);

const { outputs } = await Bun.build({
  // The program, and the file of each thread that it starts.
  entrypoints: ['src/main.ts', 'src/storage/sqlite/maintenance/copy-worker.ts'].map(
    (path) => ROOT + path,
  ),
  // The program finds the file of a thread beside itself.
  naming: '[name].[ext]',
  // Without it, the console contains the development version of React.
  define: { 'process.env.NODE_ENV': '"production"' },
  minify: true,
  // Stack traces name the files and lines of the sources.
  sourcemap: 'linked',
  compile: {
    outfile,
    // The runtime would read these files from the folder in which the service starts.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
});
// The executable contains the source maps.
for (const { kind, path } of outputs) if (kind === 'sourcemap') rmSync(path);
