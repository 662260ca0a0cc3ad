import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedResponse, ServerEntry } from '../server.ts';
import type { WorkloadName } from '../workload-names.ts';

/** The limits of a web server in C: it sends a hot list of 20 or 100 animals from memory, with one worker. */
export const nginx = nginxOf('nginx', 'hot-list', 'hotList');
export const nginx100 = nginxOf('nginx-100', 'hot-list-100', 'hotList100');

function nginxOf(
  name: string,
  workload: WorkloadName,
  response: 'hotList' | 'hotList100',
): ServerEntry {
  return {
    name,
    title: 'Limit: nginx, the same bytes',
    kind: 'limit',
    workloads: [workload],
    basePath: '/v1',
    page: ['after', String],
    knownDifferences: [],
    unavailableReason: () =>
      Bun.which('nginx') === null ? 'nginx is not installed: apt-get install nginx' : undefined,
    async prepare({ folder, port, responses }) {
      const file = join(folder, 'nginx.conf');
      writeFileSync(file, configuration(folder, port, responses?.[response]));
      return { command: ['nginx', '-p', folder, '-c', file, '-e', 'stderr'] };
    },
  };
}

/** A parameter of a directive has at most 4 KiB. */
const PART_CHARACTERS = 2_000;

/** Escapes what is special in quotes. */
const escapeQuotes = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');

/** In quotes, dollars begin a variable. */
const quote = (text: string): string => `"${escapeQuotes(text).replaceAll('$', '$' + '{dollar}')}"`;

function configuration(
  folder: string,
  port: number,
  response: RecordedResponse | undefined,
): string {
  const { status = 204, headers = [], body = '' } = response ?? {};
  const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? 'application/json';
  const added = headers
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `      add_header ${name} ${quote(value)};`);
  // Long bodies are put together from variables. Their values may contain dollars.
  const parts = body.match(new RegExp(`.{1,${PART_CHARACTERS}}`, 'gsu')) ?? [''];
  const variables = parts.map(
    (part, index) => `  geo $part${index}_ {\n    default "${escapeQuotes(part)}";\n  }`,
  );
  const joined =
    parts.length === 1
      ? quote(body)
      : `"${parts.map((_part, index) => `$part${index}_`).join('')}"`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${quote(join(folder, kind))};`,
  );
  return `daemon off;
worker_processes 1;
error_log stderr crit;
pid ${quote(join(folder, 'nginx.pid'))};
events {
  worker_connections 1024;
}
http {
${temporary.join('\n')}
  access_log off;
  server_tokens off;
  keepalive_requests 1000000000;
  geo $dollar {
    default "$";
  }
${variables.join('\n')}
  server {
    listen 127.0.0.1:${port};
    location / {
      default_type ${contentType};
${added.join('\n')}
      return ${status} ${joined};
    }
  }
}
`;
}
