import { AddAnimal } from '../animals/add-animal.tsx';
import { NameCategory } from '../categories/name-category.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import { Button } from '../parts/button.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { ImportAnimals } from '../transfer/import-animals.tsx';

export type Step = 'category' | 'animal' | 'import' | 'key';

/** What opens a shop that has no animals yet, as far as the API key may do it. */
export function FirstSteps({ onStep }: { readonly onStep: (step: Step) => void }) {
  const { may } = useSession();
  const texts = TEXTS.today.first;
  const button = (step: Step, label: string) => (
    <Button onClick={() => onStep(step)}>{label}</Button>
  );
  return (
    <section className="card panel" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ol className="steps">
        {may('pets:write') && (
          <>
            <li>
              {texts.categories} {button('category', TEXTS.categories.add)}
            </li>
            <li>
              {texts.animals} {button('import', TEXTS.transfer.import)}{' '}
              {button('animal', TEXTS.animals.add)}
            </li>
          </>
        )}
        {may('keys:admin') && (
          <li>
            {texts.key} {button('key', TEXTS.keys.add)}
          </li>
        )}
      </ol>
      {!may('pets:write') && !may('keys:admin') && <p className="muted">{TEXTS.animals.none}</p>}
    </section>
  );
}

interface DialogProps {
  readonly step: Step;
  readonly onClose: () => void;
}

/** The dialog of a step. It stays open although the shop is not empty any more. */
export function StepDialog({ step, onClose }: DialogProps) {
  if (step === 'category') return <NameCategory category={undefined} onClose={onClose} />;
  if (step === 'animal') return <AddAnimal onClose={onClose} />;
  if (step === 'import') return <ImportAnimals onClose={onClose} />;
  return <CreateKey onClose={onClose} />;
}
