import { Fragment } from 'react';
import type { StoreEvent } from '../../sdk/src/index.ts';
import { linkTo } from '../address.ts';
import { Actor } from '../animals/history.tsx';
import { formatLately } from '../format.ts';
import type { Shown } from '../orders/shown.tsx';
import { Button } from '../parts/button.tsx';
import { Name } from '../parts/named.tsx';
import { Panel } from '../parts/panel.tsx';
import { TEXTS } from '../texts.ts';
import { useLastEvents } from './queries.ts';

interface Props {
  readonly onShow: (shown: Shown) => void;
}

export function LastEvents({ onShow }: Props) {
  const texts = TEXTS.today;
  return (
    <Panel title={texts.events} result={useLastEvents()}>
      {({ data }) => (
        <>
          <ul className="short">
            {linesOf(data as readonly StoreEvent<string>[]).map(({ event, effects }) => (
              <li key={event.id}>
                <span>
                  {[...effects, event].map((one, index) => (
                    <Fragment key={one.id}>
                      {index > 0 && ' · '}
                      <Subject event={one} onShow={onShow} /> {happened(one)}
                    </Fragment>
                  ))}
                </span>
                <span className="muted">
                  <Actor {...event.actor} />
                </span>
                <time className="muted" dateTime={event.timestamp}>
                  {formatLately(event.timestamp)}
                </time>
              </li>
            ))}
          </ul>
          {data.length === 0 && <p className="muted">{TEXTS.common.noChanges}</p>}
        </>
      )}
    </Panel>
  );
}

const SHOWN = 8;

/** The last events. An order and what it did to its animal are one line, the animal first. */
function linesOf(events: readonly StoreEvent<string>[]) {
  const effectsOf = ({ timestamp, data }: StoreEvent<string>) =>
    events.filter(
      (event) =>
        'petId' in data && event.subject === `pets/${data.petId}` && event.timestamp === timestamp,
    );
  const lines = events.map((event) => ({ event, effects: effectsOf(event) }));
  const told = new Set(lines.flatMap(({ effects }) => effects));
  return lines.filter(({ event }) => !told.has(event)).slice(0, SHOWN);
}

/** The screens of subjects that have no dialog here. */
const SCREENS: Readonly<Record<string, string>> = {
  pets: 'animals',
  categories: 'categories',
  'api-keys': 'keys',
  'webhook-endpoints': 'webhooks',
};

/** What changed, as the way to it. */
function Subject({
  event: { type, subject, data },
  onShow,
}: Props & { readonly event: StoreEvent<string> }) {
  const [kind = '', id] = subject.split('/');
  const name = 'name' in data ? data.name : undefined;
  const count = 'count' in data ? data.count : undefined;
  const isGone = type.endsWith('.deleted');
  if (kind === 'orders' && id !== undefined) {
    const text = TEXTS.orders.numbered(id);
    return isGone ? text : <Link text={text} onOpen={() => onShow({ orderId: id })} />;
  }
  if (kind === 'pets' && id !== undefined && !isGone) {
    return <Link text={name ?? id} onOpen={() => onShow({ petId: id })} />;
  }
  const text = id === undefined ? TEXTS.today.imported(kind, count) : <Name>{name ?? id}</Name>;
  return isGone ? text : <a href={linkTo(SCREENS[kind] ?? '')}>{text}</a>;
}

const Link = ({ text, onOpen }: { readonly text: string; readonly onOpen: () => void }) => (
  <Button look="link" onClick={onOpen}>
    <Name>{text}</Name>
  </Button>
);

/** What happened to the subject. The new status of an animal says more than that it changed. */
function happened({ type, data, previous }: StoreEvent<string>): string {
  const [, verb = type] = type.split('.');
  const words: Readonly<Record<string, string>> = { ...TEXTS.today.happened, ...TEXTS.orderStatus };
  const status = ('status' in data && data.status) || 'unset';
  if (type === 'pet.updated' && previous !== undefined && 'status' in previous)
    return TEXTS.petStatus[status as keyof typeof TEXTS.petStatus];
  return words[verb] ?? verb;
}
