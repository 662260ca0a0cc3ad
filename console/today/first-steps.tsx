import { useState } from 'react';
import { AddAnimal } from '../animals/add-animal.tsx';
import { NameCategory } from '../categories/name-category.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import { Button } from '../parts/button.tsx';
import { useSession } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { ImportAnimals } from '../transfer/import-animals.tsx';

/** What opens a shop that has no animals yet, as far as the API key may do it. The first animal ends the steps. A dialog of a step stays open although the shop is not empty any more. */
export function FirstSteps({ isShown }: { readonly isShown: boolean }) {
  const { may } = useSession();
  const [step, setStep] = useState<'category' | 'animal' | 'import' | 'key'>();
  const onClose = () => setStep(undefined);
  const texts = TEXTS.today.first;
  const button = (name: typeof step, label: string) => (
    <Button onClick={() => setStep(name)}>{label}</Button>
  );
  return (
    <>
      {isShown && (
        <section className="card panel" aria-label={texts.title}>
          <h2>{texts.title}</h2>
          <ol className="steps">
            {may('pets:write') && (
              <li>
                {texts.categories} {button('category', TEXTS.categories.add)}
              </li>
            )}
            {may('keys:admin') && (
              <li>
                {texts.key} {button('key', TEXTS.keys.add)}
              </li>
            )}
            {may('pets:write') && (
              <li>
                {texts.animals} {button('import', TEXTS.transfer.import)}{' '}
                {button('animal', TEXTS.animals.add)}
              </li>
            )}
          </ol>
          {!may('pets:write') && !may('keys:admin') && (
            <p className="muted">{TEXTS.animals.none}</p>
          )}
        </section>
      )}
      {step === 'category' && <NameCategory category={undefined} onClose={onClose} />}
      {step === 'animal' && <AddAnimal onClose={onClose} />}
      {step === 'import' && <ImportAnimals onClose={onClose} />}
      {step === 'key' && <CreateKey onClose={onClose} preset="counter" />}
    </>
  );
}
