import { useState } from 'react';
import type { ApiKey } from '../../sdk/src/index.ts';
import { useAddress } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { formatDay, formatTime } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Heading } from '../parts/heading.tsx';
import { Listing } from '../parts/listing.tsx';
import { Name, Named } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { useDone } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { CreateKey } from './create-key.tsx';
import { useApiKeys, useRevokeKey } from './queries.ts';
import { RotateKey } from './rotate-key.tsx';
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
  const close = () => setShown(undefined);
  return (
    <>
      <Heading title={texts.title} introduction={texts.introduction}>
        <Button look="primary" icon="plus" onClick={() => setShown({ dialog: 'create' })}>
          {texts.add}
        </Button>
      </Heading>
      <Listing
        address={address}
        result={apiKeys}
        label={texts.title}
        columns={
          <>
            <Column>{TEXTS.common.name}</Column>
            <Column>{texts.scopes}</Column>
            <Column>{texts.state}</Column>
            <Column>{texts.lastUsed}</Column>
            <Column end>
              <span className="visually-hidden">{TEXTS.common.actions}</span>
            </Column>
          </>
        }
        empty={<Empty icon="keys" title={texts.title} hint={texts.introduction} />}
        row={(apiKey) => (
          <KeyRow
            key={apiKey.id}
            apiKey={apiKey}
            isReplaced={hasSuccessor(apiKey, apiKeys.data?.data ?? [])}
            onShow={(dialog) => setShown({ dialog, apiKey })}
          />
        )}
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

interface RowProps {
  readonly apiKey: Key;
  readonly isReplaced: boolean;
  readonly onShow: (dialog: 'rotate' | 'revoke') => void;
}

function KeyRow({ apiKey, isReplaced, onShow }: RowProps) {
  const { key: own } = useSession();
  const { id, name, hint, scopes, expiresAt, lastUsedAt } = apiKey;
  const state = stateOf(apiKey);
  const texts = TEXTS.keys;
  return (
    <tr className="row">
      <td className="title" data-wide>
        <Name>{name}</Name> {own.id === id && <span className="muted">({texts.thisOne})</span>}
        <br />
        <span className="muted mono line">{hint}</span>
      </td>
      <td data-wide>
        <Scopes scopes={scopes} />
      </td>
      <td className="line">
        <span className={`chip ${state === 'active' ? 'good' : 'none'}`}>{texts[state]}</span>
        {state === 'active' && expiresAt && (
          <span className="muted">
            <br />
            {texts.expires} {formatDay(expiresAt)}
            {isReplaced && (
              <>
                <br />
                {texts.replaced}
              </>
            )}
          </span>
        )}
      </td>
      <td className="time number" data-wide data-label={texts.lastUsed}>
        {lastUsedAt ? formatTime(lastUsedAt) : TEXTS.common.never}
      </td>
      <td className="end" data-wide>
        {state === 'active' && (
          <div className="actions">
            {!isReplaced && (
              <Button
                small
                aria-label={`${texts.rotate}: ${name}`}
                onClick={() => onShow('rotate')}
              >
                {texts.rotate}
              </Button>
            )}
            <Button
              small
              look="quiet"
              aria-label={`${texts.revoke}: ${name}`}
              onClick={() => onShow('revoke')}
            >
              {texts.revoke}
            </Button>
          </div>
        )}
      </td>
    </tr>
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

function RevokeKey({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) {
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
