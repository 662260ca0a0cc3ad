import { Command } from 'commander';
import { operationsOf } from '../app.ts';
import { baseUrlsOf, originOf } from '../config/base-urls.ts';
import { openApiDocument } from '../http/document/openapi.ts';
import { webhookMessages } from '../webhooks/webhook-messages.ts';
import { withSettings } from './command.ts';
import type { Io } from './io.ts';

const DOCUMENT_SETTINGS = [
  'host',
  'port',
  'environment',
  'extensions',
  'baseUrl',
  'stagingBaseUrl',
] as const;

export function openapiCommand(io: Io): Command {
  const command = new Command('openapi').description('print the OpenAPI document');
  return withSettings(io, command, DOCUMENT_SETTINGS, (_flags, config) => {
    const { host, port, extensions } = config;
    const baseUrls = baseUrlsOf(config, originOf(host, port));
    return io.json(
      openApiDocument(operationsOf(extensions), baseUrls, extensions, webhookMessages),
    );
  });
}
