import { useState } from 'react';
import { useAddress } from '../address.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Listing } from '../parts/listing.tsx';
import { Name } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import type { Column } from '../parts/table.tsx';
import { TEXTS } from '../texts.ts';
import { CreateEndpoint } from './create-endpoint.tsx';
import { EndpointDialog, EndpointState } from './endpoint-dialog.tsx';
import { type Endpoint, useEndpoints } from './queries.ts';

export function WebhooksScreen() {
  const address = useAddress();
  const endpoints = useEndpoints(address.query.get('cursor') ?? '');
  const [isAdding, setIsAdding] = useState(false);
  const [opened, setOpened] = useState<Endpoint>();
  const texts = TEXTS.webhooks;
  // Its row may leave the page while the dialog shows a new secret.
  const shown = endpoints.data?.data.find(({ id }) => id === opened?.id) ?? opened;
  const columns: readonly Column<Endpoint>[] = [
    {
      title: texts.url,
      look: 'title',
      isLine: true,
      cell: (endpoint) => (
        <Button look="link" onClick={() => setOpened(endpoint)}>
          <Name>{endpoint.url}</Name>
        </Button>
      ),
    },
    {
      title: texts.types,
      isLine: true,
      cell: ({ types }) => (types ? <code>{types.join(' ')}</code> : texts.allTypes),
    },
    { title: texts.state, isLine: true, cell: EndpointState },
  ];
  return (
    <>
      <Heading title={TEXTS.navigation.webhooks} introduction={texts.introduction}>
        <Button look="primary" icon="plus" onClick={() => setIsAdding(true)}>
          {texts.add}
        </Button>
      </Heading>
      <Listing
        screen="webhooks"
        address={address}
        result={endpoints}
        columns={columns}
        onOpen={setOpened}
        empty={
          <Empty icon="webhooks" title={TEXTS.navigation.webhooks} hint={texts.introduction} />
        }
      />
      {isAdding && <CreateEndpoint onClose={() => setIsAdding(false)} />}
      {shown && <EndpointDialog endpoint={shown} onClose={() => setOpened(undefined)} />}
    </>
  );
}
