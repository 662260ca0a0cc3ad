/** Generates the licences of everything that the executable contains, and those of the console's script. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { type BunLicenses, bunLicenses } from './bun-licenses.ts';
import { EXECUTABLE_BUNDLE } from './executable-bundle.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** SPDX identifiers of licences that only demand their notices. Others need a decision. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

const NOTICE_FILE = /^(licen[cs]e|notice|copying)/i;

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The texts of its licence and notice files. */
  readonly notices: readonly string[];
}

/** Returns the page THIRD-PARTY-LICENSES.md, which accompanies the executable. */
export const thirdPartyLicenses = async (): Promise<string> =>
  render(bunLicenses(BUN), await bundledPackages(EXECUTABLE_BUNDLE.entrypoints, 'bun'));

/** Returns the notices of the packages in the script of the console, which browsers load alone. */
export async function consoleNotices(): Promise<string> {
  const packages = await bundledPackages([`${ROOT}console/index.html`], 'browser');
  const texts = Map.groupBy(packages, ({ notices }) => notices.join('\n\n'));
  return [...texts]
    .map(([text, among]) => `${among.map(({ name }) => name).join(', ')}:\n\n${text}\n`)
    .join('\n');
}

/** The packages in a bundle, in ascending order of their folders. */
async function bundledPackages(entrypoints: string[], target: 'bun' | 'browser') {
  const options = { ...EXECUTABLE_BUNDLE, entrypoints, target, metafile: true } as const;
  const { metafile } = await Bun.build(options);
  const folders = Object.keys(metafile?.inputs ?? {}).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort().map(readPackage);
}

/** @throws if the licence is not allowed, or its text is missing */
export function readPackage(folder: string): Package {
  const path = resolve(ROOT, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  if (!ALLOWED.includes(license)) {
    throw new Error(
      `${name} has the licence ${license}: scripts/third-party-licenses.ts does not allow it.`,
    );
  }
  const files = readdirSync(path).filter((file) => NOTICE_FILE.test(file));
  const notices = files.sort().map((file) => readFileSync(join(path, file), 'utf8').trim());
  if (notices.length > 0) return { name, version, license, notices };
  return { name, version, license, notices: [noticeWithoutFile(name, license)] };
}

function noticeWithoutFile(name: string, license: string): string {
  // It dedicates the package to the public, and demands no notice.
  if (license === 'Unlicense')
    return 'This package is in the public domain (https://unlicense.org).';
  throw new Error(
    `${name} contains no licence file: scripts/third-party-licenses.ts does not allow it.`,
  );
}

/** The MIT licence without its title and copyright line. */
function mitTerms(): string {
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
  return own.slice(own.indexOf('Permission is hereby granted')).trim();
}

const BUN = packageJson.dependencies.bun;

const render = (bun: BunLicenses, packages: readonly Package[]): string => `# Third-party licences

Animal Store has the MIT licence (LICENSE). The executable of \`npm run build\` also contains the parts below. The package of
\`npm pack\` contains none of them: npm installs its dependencies with their own licence files. The base of the Docker image
is Debian, whose packages have their licences in \`/usr/share/doc\`.

${renderBun(bun)}

## Packages of npm

${packages.map(renderPackage).join('\n\n')}

\`npm run build\` generated this page from the files that it bundled.
`;

const renderBun = ({ page, lgpl }: BunLicenses): string => `## Bun ${BUN}

The runtime has the MIT licence. It contains libraries with other licences, which its licence page below lists. The executable uses
two libraries that the LGPL covers:

- JavaScriptCore and parts of WebKit (LGPL 2). Sources: https://github.com/oven-sh/WebKit, commit
  ${sourceCommit('webkit')}.
- TinyCC (LGPL 2.1). Sources: https://github.com/oven-sh/tinycc, commit
  ${sourceCommit('tinycc')}.

The page says how to build Bun with a changed version of them. To use such a Bun for Animal Store, run \`src/main.ts\` of its
sources with it, or build the executable with it: \`BUN scripts/build-executable.ts\`.

The MIT licence of Bun. Neither its licence page nor its npm package has a copyright line:

${fence(mitTerms())}

### The licence page of Bun ${BUN}

This file does not have the copyright lines of the libraries on this page, and of their licences only MIT, LGPL and Apache 2.0. The
rest is at the links of the page.

${fence(page)}

${[...lgpl].map(([version, text]) => `### LGPL ${version}\n\n${fence(text)}`).join('\n\n')}`;

/** The commit of a library in Bun. */
function sourceCommit(library: string): string {
  const commit = process.versions[library];
  if (commit === undefined) throw new Error(`Bun does not say which ${library} it contains.`);
  return commit;
}

const renderPackage = ({ name, version, license, notices }: Package): string =>
  [`### ${name} ${version} (${license})`, ...notices.map(fence)].join('\n\n');

const fence = (text: string): string =>
  `\`\`\`\`text\n${text.replaceAll(/[ \t\r]+$/gm, '')}\n\`\`\`\``;
