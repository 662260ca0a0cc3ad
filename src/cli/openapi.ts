import type { Command } from 'commander';
import { operationsOf } from '../app.ts';
import { baseUrlsOf, originOf } from '../config/base-urls.ts';
import { openApiDocument } from '../http/document/openapi.ts';
import { commandWith } from './command.ts';
import { printJson } from './output.ts';

export function openapiCommand(): Command {
  const { does } = commandWith('openapi', 'print the OpenAPI document', [
    'host',
    'port',
    'environment',
    'extensions',
    'baseUrl',
    'stagingBaseUrl',
  ]);
  return does((_flags, config) => {
    printJson(
      openApiDocument(
        operationsOf(config.extensions),
        baseUrlsOf(config, originOf(config.host, config.port)),
        config.extensions,
      ),
    );
  });
}
