import { useState } from 'react';
import type { ApiKey } from '../../sdk/src/index.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Choices } from '../parts/field.tsx';
import { Named } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { TEXTS } from '../texts.ts';
import { useRotateKey } from './queries.ts';
import { Secret } from './secret.tsx';

interface Props {
  readonly apiKey: ApiKey<string>;
  readonly onClose: () => void;
}

const DEFAULT_GRACE = '86400';

export function RotateKey({ apiKey: { id, name }, onClose }: Props) {
  const rotate = useRotateKey();
  const [grace, setGrace] = useState(DEFAULT_GRACE);
  const [isCopied, setIsCopied] = useState(false);
  const texts = TEXTS.keys;
  return (
    <Dialog
      title={<Named text={rotate.data ? texts.created : texts.rotateTitle} name={name} />}
      onClose={onClose}
      loss={rotate.data && !isCopied ? texts.notCopied : undefined}
    >
      {rotate.data ? (
        <Secret secret={rotate.data.key} onCopied={() => setIsCopied(true)} />
      ) : (
        <>
          <p>{texts.rotateHint}</p>
          <Choices
            legend={texts.grace}
            choices={texts.graceChoices.map(([value, label]) => ({ value, label }))}
            chosen={[grace]}
            onChoose={setGrace}
          />
        </>
      )}
      {rotate.error && <Failure error={rotate.error} />}
      <div className="actions">
        {!rotate.data && (
          <Button
            look="primary"
            autoFocus
            isBusy={rotate.isPending}
            onClick={() => rotate.mutate({ id, gracePeriodSeconds: Number(grace) })}
          >
            {texts.rotate}
          </Button>
        )}
        <LeaveButton>{rotate.data ? texts.done : TEXTS.common.cancel}</LeaveButton>
      </div>
    </Dialog>
  );
}
