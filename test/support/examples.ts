import { sharedReceiver } from './webhook-receiver.ts';

/** Sends a request to a path relative to the base URL. */
type Send = (method: string, path: string, body?: object) => Promise<unknown>;

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

/** Creates what the examples of an operation name, in a service without animals and with one API key. */
export async function prepareExamples(
  { operationId, path }: { readonly operationId: string; readonly path: string },
  send: Send,
): Promise<void> {
  if (operationId === 'createPet') return;
  if (path.startsWith('/webhook')) {
    await send('POST', '/pets', REX);
    await send('GET', '/events');
    await send('POST', '/webhook-endpoints', { url: sharedReceiver() });
    await send('POST', '/webhook-endpoints/1/replay', { after: '2020-01-01T00:00:00Z' });
  } else if (path.startsWith('/api-keys')) {
    await send('POST', '/api-keys', { name: 'web shop', scopes: ['pets:read'] });
  } else if (path.startsWith('/categories')) await send('PUT', '/categories/1', { name: 'Dogs' });
  else {
    for (const animal of [REX, REX]) await send('POST', '/pets', animal);
    const needsOrder = path.startsWith('/store/orders') && operationId !== 'placeOrder';
    if (needsOrder) await send('POST', '/store/orders', { petId: 1 });
  }
}
