import { rmSync } from 'node:fs';
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

/** Builds the executable, which contains the source maps, too. */
export async function buildExecutable(outfile: string): Promise<void> {
  const { outputs } = await Bun.build({
    ...EXECUTABLE_BUNDLE,
    // Parsed before: the program starts in less than half the time.
    bytecode: true,
    format: 'esm',
    // Stack traces name the files and lines of the sources.
    sourcemap: 'linked',
    compile: {
      outfile,
      // The runtime would read these files from the folder in which the service starts.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  for (const { kind, path } of outputs) if (kind === 'sourcemap') rmSync(path);
}
