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
  const [shown, setShown] = useState<string>();
  const texts = TEXTS.webhooks;
  const open = endpoints.data?.data.find(({ id }) => id === shown);
  const close = () => setShown(undefined);
  const columns: readonly Column<Endpoint>[] = [
    {
      title: texts.url,
      look: 'title',
      isLine: true,
      cell: ({ id, url }) => (
        <Button look="link" onClick={() => setShown(id)}>
          <Name>{url}</Name>
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
        <Button look="primary" icon="plus" onClick={() => setShown('new')}>
          {texts.add}
        </Button>
      </Heading>
      <Listing
        screen="webhooks"
        address={address}
        result={endpoints}
        columns={columns}
        onOpen={({ id }) => setShown(id)}
        empty={
          <Empty icon="webhooks" title={TEXTS.navigation.webhooks} hint={texts.introduction} />
        }
      />
      {shown === 'new' && <CreateEndpoint onClose={close} />}
      {open && <EndpointDialog key={open.id} endpoint={open} onClose={close} />}
    </>
  );
}
