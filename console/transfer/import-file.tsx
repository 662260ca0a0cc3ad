import { PetStatusChip } from '../animals/pet-status.tsx';
import { CategoryName } from '../categories/category-name.tsx';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Name } from '../parts/named.tsx';
import { Failure, Faults } from '../parts/notices.tsx';
import { Table } from '../parts/table.tsx';
import { TEXTS } from '../texts.ts';
import type { AnimalsFile } from './animals-file.ts';
import { Progress } from './progress.tsx';
import { type ImportProgress, useImport } from './use-import.ts';

const SHOWN_ROWS = 5;

interface Props {
  readonly file: AnimalsFile;
  readonly onClose: () => void;
}

/** What a file contains, and then how far its import is. */
export function ImportFile({ file, onClose }: Props) {
  const { progress, error, run, undo, stop } = useImport(file);
  const { state, count, total, faults, notUndone } = progress;
  const texts = TEXTS.transfer;
  const isBegun = state !== 'ready';
  const isRunning = state === 'running' || state === 'undoing';
  const isOver = state === 'done' || state === 'undone';
  const begins = { ready: texts.import, stopped: texts.resume, refused: texts.rest };
  const action = begins[state as keyof typeof begins];
  const loss = state === 'undoing' ? texts.undoLoss : texts.loss;
  const title = <Name>{file.name}</Name>;
  return (
    <Dialog title={title} onClose={onClose} loss={isBegun && !isOver ? loss : undefined}>
      {!isBegun && <Contents file={file} />}
      <Faults
        title={texts.leftOut(formatNumber(faults.length))}
        faults={faults.map(({ line, message }) => ({
          reason: texts.fault(formatNumber(line), message),
        }))}
      />
      <Faults
        title={TEXTS.animals.bulk.failed(formatNumber(notUndone.length))}
        faults={notUndone}
      />
      {isBegun && (
        <Progress
          label={texts.importTitle}
          count={count}
          total={total}
          text={progressText(progress, file.updates.length === 0)}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      <div className="actions">
        {isRunning && (
          <Button autoFocus onClick={stop}>
            {texts.stop}
          </Button>
        )}
        {action && total > 0 && (
          <Button look="primary" autoFocus onClick={run}>
            {action}
          </Button>
        )}
        {progress.mayUndo && !isRunning && <Button onClick={undo}>{TEXTS.animals.undo}</Button>}
        <LeaveButton>{isOver ? TEXTS.common.close : TEXTS.common.cancel}</LeaveButton>
      </div>
    </Dialog>
  );
}

function progressText({ state, count, total }: ImportProgress, isAdded: boolean): string {
  const texts = TEXTS.transfer;
  const [done, all] = [formatNumber(count), formatNumber(total)];
  if (state === 'undoing' || state === 'undone') return texts.undone(done, all);
  return state === 'done' && isAdded ? texts.added(all) : texts.stored(done, all);
}

function Contents({ file }: Pick<Props, 'file'>) {
  const { animals, updates, unchanged, delimiter } = file;
  const texts = TEXTS.transfer;
  const [update = '', add = '', same = ''] = [updates.length, animals.length, unchanged].map(
    formatNumber,
  );
  const rows = [...updates, ...animals];
  return (
    <>
      <p>
        {updates.length + unchanged > 0 ? texts.changes(update, add, same) : texts.ready(add)}{' '}
        {delimiter && texts.sentence(delimiter)}
      </p>
      {rows.length > 0 && <Preview animals={rows.slice(0, SHOWN_ROWS)} />}
    </>
  );
}

const Preview = ({ animals }: Pick<AnimalsFile, 'animals'>) => (
  <Table
    label={TEXTS.transfer.preview}
    items={animals}
    keyOf={({ line }) => line}
    columns={[
      {
        title: TEXTS.common.name,
        look: 'title',
        cell: ({ animal }) => <Name>{animal.name}</Name>,
      },
      {
        title: TEXTS.common.category,
        cell: ({ animal }) => <CategoryName id={animal.categoryId} />,
      },
      {
        title: TEXTS.common.status,
        cell: ({ animal }) => <PetStatusChip status={animal.status} />,
      },
    ]}
  />
);
