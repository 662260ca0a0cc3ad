import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { petsById } from '../animals/queries.ts';
import { lookupIn } from '../categories/category-lookup.ts';
import { loadCategories, namesOf } from '../categories/queries.ts';
import { useRun } from '../many.ts';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure, Loading } from '../parts/notices.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type AnimalsFile, readAnimals } from './animals-file.ts';
import { ImportFile } from './import-file.tsx';

/** Adds and changes the animals of a file: shows first what it contains. */
export function ImportAnimals({ onClose }: { readonly onClose: () => void }) {
  const { store } = useSession();
  const queries = useQueryClient();
  const { progress, error, start, stop } = useRun();
  const [file, setFile] = useState<AnimalsFile>();
  useEffect(() => stop, [stop]);
  const choose = (chosen: File) =>
    start(async (signal, onCount) => {
      const categories = await loadCategories(queries, store);
      const categoryNames = namesOf(categories);
      const { find } = lookupIn(categories, true);
      const readPets = (ids: readonly string[]) => petsById(store, ids, signal, onCount);
      setFile(await readAnimals(chosen, find, { categoryNames, petsById: readPets }));
    });
  if (file !== undefined) return <ImportFile file={file} onClose={onClose} />;
  return (
    <Dialog title={TEXTS.transfer.importTitle} onClose={onClose}>
      {progress === undefined ? (
        // A file can also be dropped on it: browsers do so themselves.
        <TextField
          label={TEXTS.transfer.choose}
          hint={TEXTS.transfer.chooseHint}
          type="file"
          autoFocus
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json"
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            if (chosen) choose(chosen);
            // The browser reports the same file again only to an empty field.
            target.value = '';
          }}
        />
      ) : (
        <Loading />
      )}
      {error !== undefined && <Failure error={error} />}
      <div className="actions">
        <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
      </div>
    </Dialog>
  );
}
