import { useState } from 'react';
import type { EventType } from '../../sdk/src/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { NewSecret } from '../parts/secret.tsx';
import { TEXTS } from '../texts.ts';
import { useCreateEndpoint } from './queries.ts';

const RECEIVER = `import { verifyWebhook } from '@animal-store/client';
const { PORT, SECRET } = process.env;
async function fetch(request) {
  const body = await request.text();
  // The first ping comes before the secret is known.
  if (!SECRET) return new Response(null, { status: JSON.parse(body).type === 'ping' ? 204 : 503 });
  console.log(await verifyWebhook(body, request.headers, SECRET.split(' ')));
  return new Response(null, { status: 204 });
}
Bun.serve({ port: PORT, fetch });
`;

export function CreateEndpoint({ onClose }: { readonly onClose: () => void }) {
  const create = useCreateEndpoint();
  const [url, setUrl] = useState('');
  const [typed, setTyped] = useState('');
  const texts = TEXTS.webhooks;
  if (create.data)
    return (
      <NewSecret {...{ ...create.data, texts, onClose }} name={create.data.url}>
        <Receiver />
      </NewSecret>
    );
  const types = typed.split(/[\s,]+/).filter(Boolean) as EventType[];
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form
        action={texts.add}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={() => create.mutate({ url, ...(types.length > 0 && { types }) })}
      >
        <TextField
          label={texts.url}
          hint={texts.urlHint}
          inputMode="url"
          autoFocus
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label={texts.types}
          hint={texts.typesHint}
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Receiver />
      </Form>
    </Dialog>
  );
}

const Receiver = () => (
  <TextArea
    label={TEXTS.webhooks.receiver}
    hint={TEXTS.webhooks.receiverHint}
    readOnly
    rows={5}
    spellCheck={false}
    value={RECEIVER}
    onFocus={(event) => event.target.select()}
  />
);
