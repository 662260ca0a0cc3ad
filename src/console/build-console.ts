import page from '../../console/index.html';
import { type BuiltFile, buildPage } from '../build-page.ts';
import notices from './notices.txt' with { type: 'text' };

/** The licences of its packages must accompany the script, and the bundler removes them. */
const NOTICE = `/*!\n${notices}*/\n`;

/** Builds the console in memory. @throws AggregateError if the sources do not compile. */
export async function buildConsole(): Promise<BuiltFile[]> {
  const files = await buildPage(page);
  return files.map((file) =>
    file.name.endsWith('.js') ? { ...file, text: NOTICE + file.text } : file,
  );
}
