import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { CurrentApiKey } from '../sdk/src/index.ts';
import { Button } from './parts/button.tsx';
import { Confirm } from './parts/confirm.tsx';
import { Modal } from './parts/modal.tsx';
import { Named } from './parts/named.tsx';
import { useOpenDialogs } from './parts/open-dialogs.ts';
import { useAnnounce } from './parts/status-line.tsx';
import { KeyForm } from './sign-in.tsx';
import { createStore } from './store.ts';
import { listenToTabs, tellTabs } from './tabs.ts';
import { TEXTS } from './texts.ts';

type Key = CurrentApiKey<string>;

interface Props {
  readonly before: Key;
  /** The page goes on, with what the user has typed. */
  readonly onResume: (secret: string, key: Key) => void;
  /** The page begins anew because the API key may do less. */
  readonly onRestart: (secret: string, key: Key) => void;
  readonly onLeave: () => void;
}

/** Asks for another API key, over everything else: nothing that the user has typed is lost. */
export function SignInAgain({ before, onResume, onRestart, onLeave }: Props) {
  const announce = useAnnounce();
  const isOverDialog = useOpenDialogs() > 1;
  const [isBusy, setIsBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const [lesser, setLesser] = useState<{ readonly secret: string; readonly key: Key }>();
  const [isLeaving, setIsLeaving] = useState(false);
  const texts = TEXTS.signIn;

  const isOver = useRef(false);

  const accept = (secret: string, key: Key) => {
    // The user has signed out before the service answered.
    if (isOver.current) return;
    if (missingScopes(before, key).length > 0) return setLesser({ secret, key });
    if (key.id !== before.id) announce(<Named text={texts.asOther} name={key.name} />);
    onResume(secret, key);
  };
  const submit = (secret: string) => {
    setIsBusy(true);
    setFault(undefined);
    keyOf(secret)
      .then((key) => accept(secret, key), setFault)
      .finally(() => setIsBusy(false));
  };
  // A session of another tab. If it is refused, too, nobody has asked for it.
  const offer = useEffectEvent((secret: string) => {
    keyOf(secret).then(
      (key) => accept(secret, key),
      () => {},
    );
  });
  useEffect(() => {
    const stop = listenToTabs((message) => {
      if (message.type === 'session') offer(message.secret);
      if (message.type === 'opened') tellTabs({ type: 'ask' });
    });
    tellTabs({ type: 'ask' });
    isOver.current = false;
    return () => {
      isOver.current = true;
      stop();
    };
  }, []);
  const leave = () => (isOverDialog ? setIsLeaving(true) : onLeave());

  return (
    <Modal title={texts.ended} onLeave={leave} isQuestion>
      <p>{texts.endedHint}</p>
      <KeyForm fault={fault} isBusy={isBusy} onSubmit={submit}>
        <Button onClick={leave}>{TEXTS.frame.signOut}</Button>
      </KeyForm>
      {lesser && (
        <Confirm
          title={<Named text={texts.fewer} name={lesser.key.name} />}
          hint={texts.fewerHint(
            missingScopes(before, lesser.key)
              .map((scope) => TEXTS.keys.scopeMeaning[scope])
              .join(', '),
          )}
          action={texts.fewerGo}
          keep={texts.fewerOther}
          onConfirm={() => onRestart(lesser.secret, lesser.key)}
          onCancel={() => setLesser(undefined)}
        />
      )}
      {isLeaving && (
        <Confirm
          title={texts.leave}
          hint={texts.leaveHint}
          action={TEXTS.frame.signOut}
          keep={TEXTS.common.goBack}
          onConfirm={onLeave}
          onCancel={() => setIsLeaving(false)}
        />
      )}
    </Modal>
  );
}

const keyOf = (secret: string) => createStore({ secret }).apiKeys.current({ maxRetries: 0 });

const missingScopes = (before: Key, after: Key) =>
  before.scopes.filter((scope) => !after.scopes.includes(scope));
