import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { UnreadableFile } from '../../src/transfer/files/unreadable-file.ts';
import { lookupIn } from '../categories/category-lookup.ts';
import { loadCategories } from '../categories/queries.ts';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Failure } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { readAnimals } from './animals-file.ts';
import { ChooseFile } from './choose-file.tsx';
import { type ComparedFile, compareAnimals } from './compare-animals.ts';
import { ImportFile } from './import-file.tsx';

/** Adds the animals of a file: shows first what it contains. */
export function ImportAnimals({ onClose }: { readonly onClose: () => void }) {
  const { store } = useSession();
  const queries = useQueryClient();
  const [file, setFile] = useState<ComparedFile>();
  const [fault, setFault] = useState<unknown>();
  const choose = (chosen: File) => {
    setFault(undefined);
    loadCategories(queries, store)
      .then((categories) => readAnimals(chosen, lookupIn(categories).find))
      .then((read) => compareAnimals(store, read))
      .then(setFile, setFault);
  };
  if (file !== undefined) return <ImportFile file={file} onClose={onClose} />;
  return (
    <Dialog title={TEXTS.transfer.importTitle} onClose={onClose}>
      <ChooseFile onChoose={choose} />
      {fault instanceof UnreadableFile ? (
        <p className="notice bad" role="alert">
          {TEXTS.transfer.sentence(fault.message)}
        </p>
      ) : (
        fault !== undefined && <Failure error={fault} />
      )}
      <div className="actions">
        <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
      </div>
    </Dialog>
  );
}
