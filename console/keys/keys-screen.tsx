import { useState } from 'react';
import type { ApiKey } from '../../sdk/src/index.ts';
import { useAddress } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { formatDay, formatTime } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Heading } from '../parts/heading.tsx';
import { Listing } from '../parts/listing.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { Rotate } from '../parts/secret.tsx';
import { useDone } from '../parts/status-line.tsx';
import type { Column } from '../parts/table.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { CreateKey } from './create-key.tsx';
import { useApiKeys, useRevokeKey, useRotateKey } from './queries.ts';
import { presetOf } from './scopes.ts';
import { hasSuccessor } from './successor.ts';

type Key = ApiKey<string>;

type Shown =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly apiKey: Key };

export function KeysScreen() {
  const address = useAddress();
  const apiKeys = useApiKeys(address.query.get('cursor') ?? '');
  const [shown, setShown] = useState<Shown>();
  const texts = TEXTS.keys;
  const { key: own } = useSession();
  const isReplaced = (apiKey: Key) => hasSuccessor(apiKey, apiKeys.data?.data ?? []);
  const columns: readonly Column<Key>[] = [
    {
      title: TEXTS.common.name,
      look: 'title',
      isLine: true,
      cell: ({ id, name, hint }) => (
        <>
          <Name>{name}</Name> {own.id === id && <span className="muted">({texts.thisOne})</span>}
          <p className="muted mono line">{hint}</p>
        </>
      ),
    },
    { title: texts.scopes, isLine: true, cell: Scopes },
    {
      title: texts.state,
      look: 'line',
      cell: (apiKey) => <State apiKey={apiKey} isReplaced={isReplaced(apiKey)} />,
    },
    {
      title: texts.lastUsed,
      look: 'time number',
      isLine: true,
      isLabelled: true,
      cell: ({ lastUsedAt }) => (lastUsedAt ? formatTime(lastUsedAt) : TEXTS.common.never),
    },
    {
      end: true,
      isLine: true,
      cell: (apiKey) =>
        stateOf(apiKey) === 'active' && (
          <div className="actions">
            {!isReplaced(apiKey) && (
              <Button
                small
                aria-label={`${TEXTS.secret.rotate}: ${apiKey.name}`}
                onClick={() => setShown({ dialog: 'rotate', apiKey })}
              >
                {TEXTS.secret.rotate}
              </Button>
            )}
            <Button
              small
              look="quiet"
              aria-label={`${texts.revoke}: ${apiKey.name}`}
              onClick={() => setShown({ dialog: 'revoke', apiKey })}
            >
              {texts.revoke}
            </Button>
          </div>
        ),
    },
  ];
  const close = () => setShown(undefined);
  return (
    <>
      <Heading title={TEXTS.navigation.keys} introduction={texts.introduction}>
        <Button look="primary" icon="plus" onClick={() => setShown({ dialog: 'create' })}>
          {texts.add}
        </Button>
      </Heading>
      <Listing
        screen="keys"
        address={address}
        result={apiKeys}
        columns={columns}
        empty={<Empty icon="keys" title={TEXTS.navigation.keys} hint={texts.introduction} />}
      />
      {shown?.dialog === 'create' && <CreateKey onClose={close} />}
      {shown?.dialog === 'rotate' && <RotateKey apiKey={shown.apiKey} onClose={close} />}
      {shown?.dialog === 'revoke' && <RevokeKey apiKey={shown.apiKey} onClose={close} />}
    </>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): 'revoked' | 'expired' | 'active' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= serviceNow() ? 'expired' : 'active';
}

/** The state of a key, when it expires, and whether another one has taken its place. */
function State({ apiKey, isReplaced }: { readonly apiKey: Key; readonly isReplaced: boolean }) {
  const texts = TEXTS.keys;
  const state = stateOf(apiKey);
  const isExpiring = state === 'active' && apiKey.expiresAt !== undefined;
  return (
    <>
      <span className={`chip ${state === 'active' ? 'good' : 'none'}`}>{texts[state]}</span>
      {isExpiring && (
        <p className="muted">
          {texts.expires} {formatDay(apiKey.expiresAt)}
        </p>
      )}
      {isExpiring && isReplaced && <p className="muted">{texts.replaced}</p>}
    </>
  );
}

/** Who uses a key with these scopes, if a preset has them. The scopes themselves are behind the name. */
function Scopes({ scopes }: Pick<Key, 'scopes'>) {
  const preset = presetOf(scopes);
  const text = <span className="mono">{scopes.join(' ')}</span>;
  if (preset === undefined) return text;
  return (
    <details>
      <summary>{TEXTS.keys.presets[preset]}</summary>
      {text}
    </details>
  );
}

interface KeyProps {
  readonly apiKey: Key;
  readonly onClose: () => void;
}

function RotateKey({ apiKey: { id, name }, onClose }: KeyProps) {
  const rotate = useRotateKey(id);
  return <Rotate texts={TEXTS.keys} secret={rotate.data?.key} {...{ name, rotate, onClose }} />;
}

function RevokeKey({ apiKey, onClose }: KeyProps) {
  const done = useDone(onClose);
  const revoke = useRevokeKey();
  const { key: own } = useSession();
  const { confirmRevoke, confirmRevokeOwn } = TEXTS.keys;
  const onSuccess = () => done(<Named text={TEXTS.keys.revokedNotice} name={apiKey.name} />);
  return (
    <Confirm
      title={
        own.id === apiKey.id ? confirmRevokeOwn : <Named text={confirmRevoke} name={apiKey.name} />
      }
      action={TEXTS.keys.revoke}
      error={revoke.error}
      onCancel={onClose}
      onConfirm={() => revoke.mutate(apiKey.id, { onSuccess })}
    />
  );
}
