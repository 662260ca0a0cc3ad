import page from '../../console/index.html';
import { type BuiltFile, buildPage } from '../build-page.ts';
import notices from './notices.txt' with { type: 'text' };

/** The licences of its packages must accompany the script, and the bundler removes them. No browser has to load them. */
const LICENCES: BuiltFile = {
  name: `licences-${Bun.hash(notices).toString(36)}.txt`,
  contentType: 'text/plain; charset=utf-8',
  text: notices,
};

/** Builds the console in memory. @throws AggregateError if the sources do not compile. */
export async function buildConsole(): Promise<BuiltFile[]> {
  const files = await buildPage(page);
  const built = files.map((file) =>
    file.name.endsWith('.js')
      ? { ...file, text: `/*! Licences: ${LICENCES.name} */\n${file.text}` }
      : file,
  );
  return [...built, LICENCES];
}
