/** Preloaded into processes of the service, for the controls: FAULT names what its delivery of webhooks does wrong. */
import { runSteps, wait } from '../../src/steps.ts';
import { StoredWebhooks } from '../../src/storage/stores/webhook-store.ts';
import { WebhookSender } from '../../src/webhooks/webhook-sender.ts';

const { claim } = StoredWebhooks.prototype;
const { send } = WebhookSender.prototype;

const FAULTS: Readonly<Record<string, () => void>> = {
  /** A claim excludes no other process. */
  unclaimed() {
    StoredWebhooks.prototype.claim = function (id, count, now) {
      return claim.call(this, id, count, now, now);
    };
  },
  /** What is claimed counts as delivered before it is sent. */
  early() {
    StoredWebhooks.prototype.claim = function (...args) {
      return runSteps(settled(this, args));
    };
  },
  /** An attempt waits for the end of the one before. */
  serial() {
    let last: Promise<unknown> = Promise.resolve();
    WebhookSender.prototype.send = function (message, signal) {
      const attempt = last.then(() => send.call(this, message, signal));
      last = attempt;
      return attempt;
    };
  },
  /** Large numbers are rounded. */
  rounded() {
    WebhookSender.prototype.send = function (message, signal) {
      const body = JSON.stringify(JSON.parse(message.body));
      return send.call(this, { ...message, body }, signal);
    };
  },
};

function* settled(webhooks: StoredWebhooks, args: Parameters<typeof claim>) {
  const claimed = yield* wait(claim.apply(webhooks, args));
  const done = { status: 'delivered', nextAt: null, attempts: 1 } as const;
  for (const delivery of claimed)
    yield* wait(webhooks.settle(delivery.id, delivery.claimedUntil, { ...delivery, ...done }));
  return claimed;
}

FAULTS[process.env['FAULT'] ?? '']?.();
