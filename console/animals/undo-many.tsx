import { useChange } from '../change.ts';
import { formatNumber } from '../format.ts';
import { Name } from '../parts/named.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { useRefresh } from '../refresh.ts';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type Done, doEach, type Failed, undoOne } from './change-many.ts';

/** Undoes changes of several animals, and says which were not undone. Works after the part that began it is gone. */
export function useUndoMany() {
  const { store } = useSession();
  const announce = useAnnounce();
  const texts = TEXTS.animals.bulk;
  const { signal } = new AbortController();
  return useChange({
    request: (changes: readonly Done[]) =>
      doEach(
        changes,
        (change) => undoOne(store, change, signal),
        signal,
        () => {},
      ),
    onSuccess: ({ done, failed, left }) => {
      const count = formatNumber(done.length);
      const names = [...failed.map(({ item }) => item), ...left].map(({ pet }) => pet.name);
      announce(
        <>
          {texts.undone(count)} {names.length > 0 && <NotUndone names={names} />}
        </>,
      );
    },
    onSettled: useRefresh(),
  });
}

const SHOWN = 5;

function NotUndone({ names }: { readonly names: readonly string[] }) {
  const texts = TEXTS.animals.bulk;
  return (
    <>
      {texts.notUndone} <Name>{names.slice(0, SHOWN).join(', ')}</Name>{' '}
      {names.length > SHOWN && TEXTS.common.more(formatNumber(names.length - SHOWN))}
    </>
  );
}

interface FailuresProps {
  readonly title: string;
  readonly failed: readonly Failed<{ readonly id: string; readonly name: string }>[];
}

/** The animals with which something failed, and why. */
export function Failures({ title, failed }: FailuresProps) {
  if (failed.length === 0) return null;
  return (
    <div className="notice bad" role="alert">
      <strong>{title}</strong>
      <ul>
        {failed.slice(0, SHOWN).map(({ item, reason }) => (
          <li key={item.id}>
            <Name>{item.name}</Name>: {reason}
          </li>
        ))}
      </ul>
      {failed.length > SHOWN && (
        <span>{TEXTS.common.more(formatNumber(failed.length - SHOWN))}</span>
      )}
    </div>
  );
}
