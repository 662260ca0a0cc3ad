import { Confirm } from '../parts/confirm.tsx';
import { Named } from '../parts/named.tsx';
import { useDone } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { type PetVersion, useDeletePet } from './queries.ts';

interface Props {
  readonly version: PetVersion;
  readonly onCancel: () => void;
  readonly onClose: () => void;
}

export function DeleteAnimal({ version: { pet, etag }, onCancel, onClose }: Props) {
  const done = useDone(onClose);
  const remove = useDeletePet();
  const onSuccess = () => done(<Named text={TEXTS.animals.deleted} name={pet.name} />);
  return (
    <Confirm
      title={<Named text={TEXTS.animals.confirmDelete} name={pet.name} />}
      action={TEXTS.common.delete}
      error={remove.error}
      onCancel={onCancel}
      onConfirm={() => remove.mutate({ id: pet.id, etag }, { onSuccess })}
    />
  );
}
