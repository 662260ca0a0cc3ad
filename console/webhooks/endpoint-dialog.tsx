import { useState } from 'react';
import { serviceNow } from '../clock.ts';
import { formatNumber, formatTime } from '../format.ts';
import { dayAt } from '../orders/order-query.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Name } from '../parts/named.tsx';
import { Failure, Gone } from '../parts/notices.tsx';
import { Rotate } from '../parts/secret.tsx';
import { useAnnounce, useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { Deliveries } from './deliveries.tsx';
import {
  type Endpoint,
  isGone,
  useChangeEndpoint,
  useDeliveries,
  useReplay,
  useRotateSecret,
  useTest,
} from './queries.ts';

interface Props {
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
}

/** An endpoint: its state, what can be done with it, and its last deliveries. */
export function EndpointDialog({ endpoint, onClose }: Props) {
  const { id, url, status } = endpoint;
  const [shown, setShown] = useState<keyof typeof texts.actions>();
  const announce = useAnnounce();
  const test = useTest(id);
  const change = useChangeEndpoint(id);
  const deliveries = useDeliveries(id);
  const texts = TEXTS.webhooks;
  const close = () => {
    change.reset();
    setShown(undefined);
  };
  const ping = () => test.mutate(undefined, { onSuccess: () => announce(texts.accepted) });
  const onSuccess = shown === 'deleted' ? onClose : close;
  const turned = status === 'enabled' ? 'disabled' : 'enabled';
  const title = <Name>{url}</Name>;
  if (isGone(deliveries.error))
    return (
      <Dialog title={title} onClose={onClose}>
        <Gone>{texts.gone}</Gone>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <EndpointState {...endpoint} />
      <div className="actions">
        <Button small isBusy={test.isPending} onClick={ping}>
          {texts.test}
        </Button>
        {(['replay', 'rotate', turned, 'deleted'] as const).map((name) => (
          <Button small key={name} onClick={() => setShown(name)}>
            {texts.actions[name]}
          </Button>
        ))}
      </div>
      {test.error && <Failure error={test.error} />}
      <Deliveries result={deliveries} />
      {shown === 'replay' && <Replay endpoint={endpoint} onClose={close} />}
      {shown === 'rotate' && <RotateSecret endpoint={endpoint} onClose={close} />}
      {shown !== undefined && shown !== 'replay' && shown !== 'rotate' && (
        <Confirm
          {...texts.questions[shown]}
          action={texts.actions[shown]}
          error={change.error}
          onCancel={close}
          onConfirm={() => change.mutate(shown, { onSuccess })}
        />
      )}
    </Dialog>
  );
}

/** Whether an endpoint gets events, and why not. */
export function EndpointState({ status, disabledReason, failingSince }: Endpoint) {
  const texts = TEXTS.webhooks;
  const look = status === 'disabled' ? 'none' : failingSince ? 'waiting' : 'good';
  return (
    <p>
      <span className={`chip ${look}`}>{texts[status]}</span>{' '}
      <span className="muted">
        {disabledReason && `${texts.reasons[disabledReason]} `}
        {failingSince && texts.failingSince(formatTime(failingSince))}
      </span>
    </p>
  );
}

function RotateSecret({ endpoint: { id, url }, onClose }: Props) {
  const rotate = useRotateSecret(id);
  const secret = rotate.data?.secret;
  return <Rotate texts={TEXTS.webhooks} name={url} {...{ rotate, secret, onClose }} />;
}

function Replay({ endpoint: { id }, onClose }: Props) {
  const replay = useReplay(id);
  const done = useDone(onClose);
  const [from, setFrom] = useState(`${dayAt(serviceNow(), -1)}T00:00`);
  const { isPending, error } = replay;
  const texts = TEXTS.webhooks;
  const after = new Date(from);
  const isTime = !Number.isNaN(after.getTime());
  const submit = (isAll: boolean) => {
    if (!isTime) return;
    replay.mutate(
      { after: after.toISOString(), onlyFailed: !isAll },
      { onSuccess: ({ count }) => done(texts.replayed(formatNumber(count))) },
    );
  };
  return (
    <Dialog title={texts.actions.replay} onClose={onClose}>
      <Form
        action={texts.replayFailed}
        second={texts.replayAll}
        isBusy={isPending}
        error={error}
        onSubmit={submit}
      >
        <p>{texts.replayHint}</p>
        <TextField
          label={texts.from}
          type="datetime-local"
          autoFocus
          value={from}
          onChange={(event) => setFrom(event.target.value)}
          fault={isTime ? undefined : texts.timeMissing}
        />
      </Form>
    </Dialog>
  );
}
