import { keepPreviousData } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { StoreEvent } from '../../sdk/src/index.ts';
import { firstPage } from '../first-page.ts';
import { formatTime } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { useRead } from '../reading.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { FIELD_NAMES, FIELDS, petOf } from './fields.tsx';
import type { PetInput } from './queries.ts';

type Change = StoreEvent<string>;

/** How many changes are shown at first, and at most: one page of the service. */
const [SHOWN, MAX_SHOWN] = [5, 100];

/** Who has changed an animal, when, and what. */
export function History({ petId }: { readonly petId: string }) {
  const { may } = useSession();
  const [limit, setLimit] = useState(SHOWN);
  const isReadable = may('events:read');
  const query = { subject: `pets/${petId}`, sort: '-id', limit } as const;
  const { data, error, refetch } = useRead(
    ['history', petId, limit],
    (store, options) => firstPage(store.events.list(query, options)),
    { enabled: isReadable, placeholderData: keepPreviousData },
  );
  const texts = TEXTS.animals.history;
  return (
    <section className="past" aria-label={texts.title}>
      <h3>{texts.title}</h3>
      {!isReadable && <p className="muted">{TEXTS.frame.noScope('events:read')}</p>}
      {error && <Failure error={error} onRetry={refetch} />}
      {data?.data.length === 0 && <p className="muted">{TEXTS.common.noChanges}</p>}
      <ul>
        {data?.data.map((event) => (
          <li key={event.id}>
            <span>{changesIn(event as Change)}</span>
            <span className="muted">
              <Actor {...event.actor} />
              {' · '}
              <time dateTime={event.timestamp}>{formatTime(event.timestamp)}</time>
            </span>
          </li>
        ))}
      </ul>
      {data?.nextCursor !== undefined && limit < MAX_SHOWN && (
        <Button small onClick={() => setLimit(MAX_SHOWN)}>
          {texts.older}
        </Button>
      )}
    </section>
  );
}

/** Who did it: an API key, a command or the service. */
export function Actor({ keyId, keyName, command, user, job }: Change['actor']): ReactNode {
  const texts = TEXTS.animals.history;
  if (keyName !== undefined) return <Name>{keyName}</Name>;
  if (keyId !== undefined) return texts.byKey(keyId);
  if (command !== undefined) return texts.byCommand(command, user ?? '');
  return texts.byJob(job ?? '');
}

/** What an event says, a line for each field. Types that a later version adds are shown as they are. */
function changesIn({ type, data, previous = {} }: Change): ReactNode {
  const texts = TEXTS.animals.history;
  if (type === 'pet.created') return <Named text={texts.created} name={String(data['name'])} />;
  if (type === 'pet.deleted') return texts.deleted;
  if (type !== 'pet.updated') return type;
  const after = animalOf({ ...data });
  const before = animalOf({ ...data, ...previous });
  const fields = FIELD_NAMES.filter((field) => field in previous);
  if (fields.length === 0) return texts.updated;
  return fields.map((field) => (
    <span className="change" key={field}>
      {FIELDS[field].label}: <del>{FIELDS[field].show(before)}</del> →{' '}
      <ins>{FIELDS[field].show(after)}</ins>
    </span>
  ));
}

const animalOf = (values: Readonly<Record<string, unknown>>): PetInput => {
  const present = Object.entries(values).map(([field, value]) => [field, value ?? undefined]);
  return petOf(Object.fromEntries(present));
};
