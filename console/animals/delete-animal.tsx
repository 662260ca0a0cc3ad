import { Confirm } from '../parts/confirm.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { type PetVersion, useDeletePet } from './queries.ts';

interface Props {
  readonly version: PetVersion;
  readonly onCancel: () => void;
  readonly onClose: () => void;
}

export function DeleteAnimal({ version: { pet, etag }, onCancel, onClose }: Props) {
  const announce = useAnnounce();
  const remove = useDeletePet();
  return (
    <Confirm
      title={TEXTS.animals.confirmDelete(pet.name)}
      action={TEXTS.common.delete}
      task={remove}
      onCancel={onCancel}
      onConfirm={() =>
        remove.mutate(
          { id: pet.id, etag },
          {
            onSuccess: () => {
              announce(TEXTS.animals.deleted(pet.name));
              onClose();
            },
          },
        )
      }
    />
  );
}
