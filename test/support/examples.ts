/** Sends a request to a path relative to the base URL. */
type Send = (method: string, path: string, body: object) => Promise<unknown>;

const REX = { name: 'Rex', categoryId: 1, status: 'available' };

/** Creates what the examples of an operation name, in a service without animals and with one API key. */
export async function prepareExamples(
  { operationId, path }: { readonly operationId: string; readonly path: string },
  send: Send,
): Promise<void> {
  if (operationId === 'createPet') return;
  if (path.startsWith('/api-keys')) {
    await send('POST', '/api-keys', { name: 'web shop', scopes: ['pets:read'] });
  } else if (path.startsWith('/categories')) await send('PUT', '/categories/1', { name: 'Dogs' });
  else {
    for (const animal of [REX, REX]) await send('POST', '/pets', animal);
    const needsOrder = path.startsWith('/store/orders') && operationId !== 'placeOrder';
    if (needsOrder) await send('POST', '/store/orders', { petId: 1 });
  }
}
