import { PetStatusChip } from '../animals/pet-status.tsx';
import { Failures } from '../animals/undo-many.tsx';
import { CategoryName } from '../categories/category-name.tsx';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Name } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { TEXTS } from '../texts.ts';
import type { AnimalsFile } from './animals-file.ts';
import type { ComparedFile } from './compare-animals.ts';
import { Progress } from './progress.tsx';
import { type ImportProgress, useImport } from './use-import.ts';

const SHOWN_ROWS = 5;
const SHOWN_FAULTS = 5;

interface Props {
  readonly file: ComparedFile;
  readonly onClose: () => void;
}

/** What a file contains, and then how far its import is. */
export function ImportFile({ file, onClose }: Props) {
  const { animals, updates, unchanged, delimiter } = file;
  const load = useImport(file);
  const { progress } = load;
  const { state, updated, count, faults, error, notUndone } = progress;
  const texts = TEXTS.transfer;
  const isBegun = state !== 'ready';
  const hasIds = updates.length + unchanged > 0;
  const added = formatNumber(animals.length);
  return (
    <Dialog
      title={<Name>{file.name}</Name>}
      onClose={onClose}
      loss={isBegun && !isOver(state) ? texts.loss : undefined}
    >
      {!isBegun && (
        <>
          <p>
            {hasIds
              ? texts.compared(formatNumber(updates.length), added, formatNumber(unchanged))
              : texts.ready(added)}{' '}
            {delimiter && texts.sentence(delimiter)}
          </p>
          {animals.length > 0 && <Preview animals={animals.slice(0, SHOWN_ROWS)} />}
        </>
      )}
      {faults.length > 0 && <Faults faults={faults} />}
      {isBegun && (
        <Progress
          label={texts.importTitle}
          count={updated + count}
          total={progress.total}
          text={textOf(progress, hasIds)}
        />
      )}
      <Failures title={texts.notUndone} failed={notUndone} />
      {error !== undefined && <Failure error={error} />}
      <Actions {...load} />
    </Dialog>
  );
}

const isOver = (state: ImportProgress['state']) => state === 'done' || state === 'undone';

function Actions({ progress, run, stop, undo, mayUndo }: ReturnType<typeof useImport>) {
  const { state } = progress;
  const texts = TEXTS.transfer;
  return (
    <div className="actions">
      {state === 'ready' && progress.total > 0 && (
        <Button look="primary" autoFocus onClick={run}>
          {texts.import}
        </Button>
      )}
      {(state === 'running' || state === 'undoing') && (
        <Button autoFocus onClick={stop}>
          {texts.stop}
        </Button>
      )}
      {(state === 'stopped' || state === 'refused') && (
        <Button look="primary" autoFocus onClick={run}>
          {state === 'refused' ? texts.rest : texts.resume}
        </Button>
      )}
      {mayUndo && (state === 'done' || state === 'stopped') && (
        <Button onClick={undo}>{texts.undo}</Button>
      )}
      <LeaveButton>{isOver(state) ? TEXTS.common.close : TEXTS.common.cancel}</LeaveButton>
    </div>
  );
}

/** How far it is, in words. */
function textOf({ state, updated, count, total }: ImportProgress, hasIds: boolean): string {
  const texts = TEXTS.transfer;
  const tried = formatNumber(updated + count);
  if (state === 'undoing') return texts.undoing;
  if (state === 'undone') return texts.undone(tried);
  if (state !== 'done') return texts.stored(tried, formatNumber(total));
  return hasIds ? texts.updated(formatNumber(updated), formatNumber(count)) : texts.added(tried);
}

const Preview = ({ animals }: Pick<AnimalsFile, 'animals'>) => (
  <table className="list" aria-label={TEXTS.transfer.preview}>
    <thead>
      <tr>
        <Column>{TEXTS.common.name}</Column>
        <Column>{TEXTS.animals.category}</Column>
        <Column>{TEXTS.animals.status}</Column>
      </tr>
    </thead>
    <tbody>
      {animals.map(({ animal: { name, categoryId, status } }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a file have no other identity, and do not change
        <tr className="row" key={index}>
          <td className="title">
            <Name>{name}</Name>
          </td>
          <td>
            <CategoryName id={categoryId} />
          </td>
          <td>
            <PetStatusChip status={status} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** The rows that are left out, and why. */
function Faults({ faults }: Pick<AnimalsFile, 'faults'>) {
  const texts = TEXTS.transfer;
  const more = faults.length - SHOWN_FAULTS;
  return (
    <div className="notice bad" role="alert">
      <strong>{texts.leftOut(formatNumber(faults.length))}</strong>
      <ul>
        {faults.slice(0, SHOWN_FAULTS).map(({ line, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several rows of JSON can be on one line
          <li key={index}>{texts.fault(formatNumber(line), message)}</li>
        ))}
      </ul>
      {more > 0 && <span>{TEXTS.common.more(formatNumber(more))}</span>}
    </div>
  );
}
