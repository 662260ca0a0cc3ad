import { systemClock } from '../clock.ts';
import { type RandomBytes, SecretSeal } from '../webhooks/sealed-secrets.ts';
import { type SenderDeps, WebhookSender } from '../webhooks/webhook-sender.ts';
import { UsageError } from './failures.ts';

const randomBytes: RandomBytes = (bytes) => crypto.getRandomValues(bytes);

/** Creates a sender to a URL. @param keys that seal secrets @throws UsageError if it may not send there */
export function createSender(
  url: string,
  keys: readonly Uint8Array[],
  networks: Pick<SenderDeps, 'allowHttp' | 'allowedNetworks'>,
): WebhookSender {
  const seal = new SecretSeal(keys, randomBytes);
  const sender = new WebhookSender({ clock: systemClock, seal, randomBytes, ...networks });
  const problem = sender.problemOf(url);
  if (problem !== undefined) throw new UsageError(`URL ${problem}.`);
  return sender;
}
