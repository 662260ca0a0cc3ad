import { fileURLToPath } from 'node:url';
import { findCommit } from '../src/cli/versions.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** How the executable is bundled. */
export const EXECUTABLE_BUNDLE = {
  // The program, and the file of each thread that it starts.
  entrypoints: ['src/main.ts', 'src/storage/sqlite/maintenance/copy-worker.ts'].map(
    (path) => ROOT + path,
  ),
  // The program finds the file of a thread beside itself.
  naming: '[name].[ext]',
  // Without it, the console contains the development version of React.
  define: {
    'process.env.NODE_ENV': '"production"',
    // A build in a container has no git.
    BUILD_COMMIT: JSON.stringify(process.env['BUILD_COMMIT'] || findCommit()),
  },
  minify: true,
} satisfies Partial<Bun.BuildConfig>;
