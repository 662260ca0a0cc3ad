import { linkTo } from '../address.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, LeaveButton } from '../parts/dialog.tsx';
import { Named } from '../parts/named.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { AnimalForm } from './animal-form.tsx';
import { useCreatePet } from './queries.ts';

export function AddAnimal({ onClose }: { readonly onClose: () => void }) {
  const announce = useAnnounce();
  const create = useCreatePet();
  return (
    <Dialog title={TEXTS.animals.add} onClose={onClose}>
      <AnimalForm
        initial={{ name: '', categoryId: '', status: 'available' }}
        onSubmit={(pet) =>
          create.mutate(pet, {
            onSuccess: ({ id, name }) => {
              announce(<Named text={TEXTS.animals.added} name={name} />, {
                label: TEXTS.animals.show,
                href: linkTo('animals', { name: id }),
              });
              onClose();
            },
          })
        }
      >
        {create.error && <Failure error={create.error} />}
        <div className="actions">
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {create.isPending ? TEXTS.common.saving : TEXTS.animals.add}
          </Button>
          <LeaveButton>{TEXTS.common.cancel}</LeaveButton>
        </div>
      </AnimalForm>
    </Dialog>
  );
}
