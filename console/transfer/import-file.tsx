import { PetStatusChip } from '../animals/pet-status.tsx';
import { CategoryName } from '../categories/category-name.tsx';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Column } from '../parts/column.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Name } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { TEXTS } from '../texts.ts';
import type { AnimalsFile } from './animals-file.ts';
import { Progress } from './progress.tsx';
import { useImport } from './use-import.ts';

const SHOWN_ROWS = 5;
const SHOWN_FAULTS = 5;

interface Props {
  readonly file: AnimalsFile;
  readonly onClose: () => void;
}

/** What a file contains, and then how far its import is. */
export function ImportFile({ file, onClose }: Props) {
  const { animals, delimiter } = file;
  const { progress, run, stop } = useImport(file);
  const { state, count, faults, error } = progress;
  const texts = TEXTS.transfer;
  const total = formatNumber(progress.total);
  const isBegun = state !== 'ready';
  return (
    <Dialog
      title={<Name>{file.name}</Name>}
      onClose={onClose}
      loss={isBegun && state !== 'done' ? texts.loss : undefined}
    >
      {!isBegun && (
        <>
          <p>
            {texts.ready(total)} {delimiter && texts.sentence(delimiter)}
          </p>
          {animals.length > 0 && <Preview animals={animals.slice(0, SHOWN_ROWS)} />}
        </>
      )}
      {faults.length > 0 && <Faults faults={faults} />}
      {isBegun && (
        <Progress
          label={texts.importTitle}
          count={count}
          total={progress.total}
          text={state === 'done' ? texts.added(total) : texts.stored(formatNumber(count), total)}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      <div className="actions">
        {state === 'ready' && animals.length > 0 && (
          <Button look="primary" autoFocus onClick={run}>
            {texts.import}
          </Button>
        )}
        {state === 'running' && (
          <Button autoFocus onClick={stop}>
            {texts.stop}
          </Button>
        )}
        {(state === 'stopped' || state === 'refused') && (
          <Button look="primary" autoFocus onClick={run}>
            {state === 'refused' ? texts.rest : texts.resume}
          </Button>
        )}
        <LeaveButton>{state === 'done' ? TEXTS.common.close : TEXTS.common.cancel}</LeaveButton>
      </div>
    </Dialog>
  );
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
      {more > 0 && <span>{texts.more(formatNumber(more))}</span>}
    </div>
  );
}
