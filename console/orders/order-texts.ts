import type { ReactNode } from 'react';
import type { Order, OrderPatch } from '../../sdk/src/index.ts';
import { editSurely, useChange } from '../change.ts';
import { describeFailure } from '../failures.ts';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';

/** What the service accepts, in Unicode code points. A field counts in UTF-16, so its text is never too long. */
export const MAX_REFERENCE_LENGTH = 100;
export const MAX_NOTE_LENGTH = 1000;

/** The texts of an order that staff can change at any time. */
export interface OrderTexts {
  readonly reference: string;
  readonly note: string;
}

export const TEXT_NAMES = ['reference', 'note'] as const satisfies (keyof OrderTexts)[];

export const textsOf = ({ reference = '', note = '' }: Order<string>): OrderTexts => ({
  reference,
  note,
});

interface Change {
  readonly id: string;
  readonly base: OrderTexts;
  /** Without spaces around the texts, which another program may have stored. */
  readonly mine: OrderTexts;
}

/**
 * Changes the texts of an order. Those that the user has not changed stay as a colleague saved them. Changes nothing if a colleague
 * has changed the same one, and returns what the colleague saved.
 */
export const useChangeTexts = () =>
  useChange(async (store, { id, base, mine }: Change) => {
    const changed = TEXT_NAMES.filter((name) => mine[name] !== base[name].trim());
    let conflict: OrderTexts | undefined;
    const patchOf = (order: Order<string>): OrderPatch | undefined => {
      const theirs = textsOf(order);
      const isTheirs = (name: keyof OrderTexts) =>
        theirs[name] !== base[name] && theirs[name] !== mine[name];
      conflict = changed.some(isTheirs) ? theirs : undefined;
      if (conflict || changed.length === 0) return undefined;
      return Object.fromEntries(changed.map((name) => [name, mine[name] || null]));
    };
    await editSurely(() => store.orders.edit(id, patchOf));
    return conflict;
  });

/** Returns an order, and adds the reason to its note. The callbacks are called even if the part that began it is gone. */
export const useReturnOrder = (callbacks: Parameters<typeof useChange<unknown, Return>>[1]) =>
  useChange(
    (store, { id, reason }: Return) =>
      reason
        ? editSurely(() =>
            store.orders.edit(id, ({ note }) => ({
              status: 'returned',
              note: withLine(reason, note),
            })),
          )
        : store.orders.return(id, { ifMatch: '*' }),
    callbacks,
  );

/** What undoes a sale, or a hand-over, from the message about it. */
export function useUndoSale(done: ReactNode) {
  const announce = useAnnounce();
  const undo = useReturnOrder({
    onSuccess: () => announce(done),
    onError: (error) => announce(TEXTS.animals.notUndone(describeFailure(error).message)),
  });
  return (id: string) => ({ label: TEXTS.animals.undo, onAct: () => undo.mutate({ id }) });
}

interface Return {
  readonly id: string;
  readonly reason?: string;
}

/** A note with a line at its end. An attempt without a response may have added it. */
export const withLine = (line: string, note = ''): string =>
  `\n${note}`.endsWith(`\n${line}`) ? note : `${note}\n${line}`.trim();
