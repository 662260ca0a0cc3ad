import { formatLately, formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { type useDeliveries, useRedeliver, whyNot } from './queries.ts';

const LOOKS = { pending: 'waiting', delivered: 'good', failed: 'none' } as const;

/** The last deliveries of an endpoint, the newest first. */
export function Deliveries({ result }: { readonly result: ReturnType<typeof useDeliveries> }) {
  const { data, error, refetch } = result;
  const redeliver = useRedeliver();
  const announce = useAnnounce();
  const texts = TEXTS.webhooks;
  const lines = data?.data.map((delivery) => {
    const { id, type, subject, status, attempts } = delivery;
    const { lastAttemptAt, durationMs, nextAttemptAt } = delivery;
    const name = `${type} ${subject}`;
    const onSuccess = () => announce(texts.redelivered(name));
    const facts = [
      whyNot(delivery),
      lastAttemptAt && formatLately(lastAttemptAt),
      durationMs !== undefined && `${formatNumber(durationMs)} ms`,
      attempts > 1 && texts.attempts(formatNumber(attempts)),
      nextAttemptAt && texts.next(formatLately(nextAttemptAt)),
    ];
    return (
      <li key={id}>
        <span>
          <code>{name}</code>{' '}
          <span className={`chip ${LOOKS[status]}`}>{texts.status[status]}</span>{' '}
          <span className="muted number">{facts.filter(Boolean).join(' · ')}</span>
        </span>
        <Button
          look="link"
          isBusy={redeliver.isPending}
          aria-label={`${texts.redeliver}: ${name}`}
          onClick={() => redeliver.mutate(id, { onSuccess })}
        >
          {texts.redeliver}
        </Button>
      </li>
    );
  });
  return (
    <section className="past" aria-label={texts.deliveries}>
      <h3>{texts.deliveries}</h3>
      {error && <Failure error={error} onRetry={refetch} />}
      {redeliver.error && <Failure error={redeliver.error} />}
      {data?.data.length === 0 && <p className="muted">{texts.none}</p>}
      <ul>{lines}</ul>
    </section>
  );
}
