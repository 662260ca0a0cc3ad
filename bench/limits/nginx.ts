import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedResponse, ServerEntry } from '../server.ts';

/** The limit of a web server in C: it sends the same bytes from memory, with one worker. */
export const nginx: ServerEntry = {
  name: 'nginx',
  title: 'Limit: nginx, the same bytes',
  kind: 'limit',
  workloads: ['hot-list'],
  basePath: '/v1',
  page: ['after', String],
  packages: [],
  knownDifferences: [],
  unavailableReason: () =>
    Bun.which('nginx') === null ? 'nginx is not installed: apt-get install nginx' : undefined,
  async prepare({ folder, port, responses }) {
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration(folder, port, responses?.hotList));
    return { command: ['nginx', '-p', folder, '-c', file, '-e', 'stderr'] };
  },
};

/** In quotes, only quotes, backslashes and the sign of variables are special. */
const quote = (text: string): string =>
  `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('$', '$' + '{dollar}')}"`;

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
  server {
    listen 127.0.0.1:${port};
    location / {
      default_type ${contentType};
${added.join('\n')}
      return ${status} ${quote(body)};
    }
  }
}
`;
}
