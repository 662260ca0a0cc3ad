import { useState } from 'react';
import type { ApiKey } from '../../sdk/src/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choices } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Named } from '../parts/named.tsx';
import { TEXTS } from '../texts.ts';
import { NewKey } from './new-key.tsx';
import { useRotateKey } from './queries.ts';

interface Props {
  readonly apiKey: ApiKey<string>;
  readonly onClose: () => void;
}

const DEFAULT_GRACE = '86400';

export function RotateKey({ apiKey: { id, name }, onClose }: Props) {
  const rotate = useRotateKey();
  const [grace, setGrace] = useState(DEFAULT_GRACE);
  const texts = TEXTS.keys;
  if (rotate.data) return <NewKey issued={rotate.data} onClose={onClose} />;
  return (
    <Dialog title={<Named text={texts.rotateTitle} name={name} />} onClose={onClose}>
      <Form
        action={texts.rotate}
        autoFocus
        isBusy={rotate.isPending}
        error={rotate.error}
        onSubmit={() => rotate.mutate({ id, gracePeriodSeconds: Number(grace) })}
      >
        <p>{texts.rotateHint}</p>
        <Choices
          legend={texts.grace}
          choices={texts.graceChoices.map(([value, label]) => ({ value, label }))}
          chosen={[grace]}
          onChoose={setGrace}
        />
      </Form>
    </Dialog>
  );
}
