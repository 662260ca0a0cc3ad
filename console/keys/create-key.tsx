import { useState } from 'react';
import type { Scope } from '../../sdk/src/index.ts';
import { serviceNow } from '../clock.ts';
import { nameFault } from '../name-fault.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choices, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { NewSecret } from '../parts/secret.tsx';
import { TEXTS } from '../texts.ts';
import { useCreateKey } from './queries.ts';
import { PRESETS, type Preset, presetOf, SCOPES } from './scopes.ts';

interface Props {
  readonly onClose: () => void;
  readonly preset?: Preset;
}

/** The end of a day in local time, or undefined for a day that has passed. */
function endOfDay(day: string): string | undefined {
  const end = new Date(`${day}T23:59:59`);
  return end.getTime() > serviceNow() ? end.toISOString() : undefined;
}

export function CreateKey({ onClose, preset }: Props) {
  const create = useCreateKey();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(preset ? PRESETS[preset] : ['pets:read']);
  const [day, setDay] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const texts = TEXTS.keys;
  const expiresAt = day === '' ? '' : endOfDay(day);

  const secret = create.data?.key;
  if (secret !== undefined) return <NewSecret {...{ texts, name, secret, onClose }} />;

  const submit = () => {
    setIsChecked(true);
    if (nameFault(name) || scopes.length === 0 || expiresAt === undefined) return;
    create.mutate({ name, scopes: [...scopes], ...(expiresAt && { expiresAt }) });
  };
  const toggle = (value: string) =>
    setScopes(SCOPES.filter((scope) => (scope === value) !== scopes.includes(scope)));

  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form action={texts.add} isBusy={create.isPending} error={create.error} onSubmit={submit}>
        <TextField
          label={TEXTS.common.name}
          hint={texts.nameHint}
          dir="auto"
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          fault={isChecked ? nameFault(name) : undefined}
        />
        <Choices
          legend={texts.usedBy}
          choices={(Object.keys(PRESETS) as Preset[]).map((value) => ({
            value,
            label: texts.presets[value],
          }))}
          chosen={[presetOf(scopes) ?? '']}
          onChoose={(value) => setScopes(PRESETS[value as Preset])}
        />
        <Choices
          legend={texts.scopes}
          several
          choices={SCOPES.map((value) => ({ value, label: texts.scopeMeaning[value] }))}
          chosen={scopes}
          onChoose={toggle}
          fault={isChecked && scopes.length === 0 ? texts.scopesMissing : undefined}
        />
        <TextField
          label={texts.expiresOptional}
          type="date"
          value={day}
          onChange={(event) => setDay(event.target.value)}
          fault={isChecked && expiresAt === undefined ? texts.expiresPast : undefined}
        />
      </Form>
    </Dialog>
  );
}
