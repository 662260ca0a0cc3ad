import { type ReactNode, useState } from 'react';
import type { Order } from '../../sdk/src/index.ts';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Note } from '../parts/named.tsx';
import { useDone } from '../parts/status-line.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import {
  MAX_NOTE_LENGTH,
  MAX_REFERENCE_LENGTH,
  type OrderTexts,
  TEXT_NAMES,
  textsOf,
  useChangeTexts,
} from './order-texts.ts';

interface Props {
  readonly order: Order<string>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The reference and the note of an order. What the user has not edited follows the order. */
export function OrderForm({ order, onClose, children }: Props) {
  const { may } = useSession();
  const done = useDone(onClose);
  const change = useChangeTexts();
  const [edits, setEdits] = useState<Partial<OrderTexts>>({});
  /** What the user has seen when they began to edit. */
  const [seen, setSeen] = useState<OrderTexts>();
  const isReadOnly = !may('orders:write');
  const base = seen ?? textsOf(order);
  const mine = { ...base, ...edits };
  const texts = TEXTS.orders;
  const edit = (text: Partial<OrderTexts>) => {
    setSeen(base);
    setEdits({ ...edits, ...text });
  };
  const submit = () => {
    const trimmed = { reference: mine.reference.trim(), note: mine.note.trim() };
    // The user has seen a conflict then. The next attempt replaces it.
    const onSuccess = (seen?: OrderTexts) => (seen ? setSeen(seen) : done(texts.saved(order.id)));
    change.mutate({ id: order.id, base, mine: trimmed }, { onSuccess });
  };
  const { isPending, error, data: theirs } = change;
  // An empty field is not printed: the style knows it by its placeholder.
  const shared = { dir: 'auto', placeholder: ' ' } as const;
  return (
    <Form
      action={TEXTS.common.save}
      last={children}
      isReadOnly={isReadOnly}
      isBusy={isPending}
      error={error}
      onSubmit={submit}
    >
      <TextField
        {...shared}
        label={TEXTS.common.reference}
        hint={isReadOnly ? undefined : texts.referenceHint}
        maxLength={MAX_REFERENCE_LENGTH}
        value={mine.reference}
        onChange={(event) => edit({ reference: event.target.value })}
      />
      {/* A field has one line, however long its text is. */}
      <p className="on-paper" dir="auto">
        {mine.reference}
      </p>
      <TextArea
        {...shared}
        label={TEXTS.common.note}
        maxLength={MAX_NOTE_LENGTH}
        value={mine.note}
        onChange={(event) => edit({ note: event.target.value })}
      />
      {theirs && (
        <div className="notice bad" role="alert">
          <strong>{texts.conflict}</strong>
          <span>{texts.conflictHint}</span>
          {TEXT_NAMES.filter((name) => theirs[name] !== mine[name]).map((name) => (
            <div key={name}>
              {texts.theirs(TEXTS.common[name])} <Note>{theirs[name] || texts.emptied}</Note>
            </div>
          ))}
        </div>
      )}
    </Form>
  );
}
