import { AnimalDialog } from '../animals/animal-dialog.tsx';
import { OrderDialog } from './order-dialog.tsx';

export type Shown = { readonly orderId: string } | { readonly petId: string };

interface Props {
  readonly shown: Shown | undefined;
  readonly onShow: (shown: Shown | undefined) => void;
}

/** The dialog of an order or of an animal. An order leads to its animal. */
export function ShownDialog({ shown, onShow }: Props) {
  if (shown === undefined) return null;
  const close = () => onShow(undefined);
  if ('petId' in shown) return <AnimalDialog id={shown.petId} onClose={close} />;
  return (
    <OrderDialog id={shown.orderId} onClose={close} onOpenAnimal={(petId) => onShow({ petId })} />
  );
}
