import type { Usage } from '../../sdk/src/index.ts';
import { formatNumber, formatTime } from '../format.ts';
import { Heading } from '../parts/heading.tsx';
import { Name } from '../parts/named.tsx';
import { Empty } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { type Day, Plot } from '../parts/plot.tsx';
import { Table } from '../parts/table.tsx';
import { useRead } from '../reading.ts';
import { TEXTS } from '../texts.ts';

type OperationUsage = Usage<string>['operations'][number];

export function UsageScreen() {
  const usage = useRead(['usage'], (store, options) => store.usage.get(options));
  const texts = TEXTS.usage;
  const operations = usage.data?.operations;
  return (
    <>
      <Heading title={TEXTS.navigation.usage} introduction={texts.introduction} />
      <Panel title={texts.plot} result={usage}>
        {() =>
          operations?.length === 0 ? (
            <Empty icon="usage" title={texts.none} hint={texts.noneHint} />
          ) : (
            <Plot days={sumByDay(operations ?? [])} label={texts.total} />
          )
        }
      </Panel>
      {operations !== undefined && operations.length > 0 && <Tables operations={operations} />}
    </>
  );
}

function Tables({ operations }: { readonly operations: readonly OperationUsage[] }) {
  const deprecated = operations.filter(({ lifecycle }) => lifecycle === 'deprecated');
  const callers = deprecated.flatMap(({ operationId, keys }) =>
    keys.map((key) => ({ operationId, ...key })),
  );
  const texts = TEXTS.usage;
  const operation = {
    title: texts.operation,
    look: 'mono',
    cell: ({ operationId, lifecycle }: { operationId: string; lifecycle?: string }) => (
      <>
        {operationId}{' '}
        {lifecycle === 'deprecated' && <span className="chip waiting">{lifecycle}</span>}
      </>
    ),
  };
  const lastCall = {
    title: texts.lastCall,
    isLine: true,
    isLabelled: true,
    cell: ({ lastCalledAt }: { readonly lastCalledAt: string }) => formatTime(lastCalledAt),
  };
  return (
    <>
      <section className="section">
        <div>
          <h2>{texts.deprecated}</h2>
          <p className="muted">{callers.length > 0 ? texts.deprecatedHint : texts.nobody}</p>
        </div>
        {callers.length > 0 && (
          <div className="card">
            <Table
              label={texts.deprecated}
              items={callers}
              keyOf={({ operationId, keyId }) => `${operationId} ${keyId}`}
              columns={[
                {
                  title: texts.key,
                  look: 'title',
                  cell: ({ keyName }) => <Name>{keyName}</Name>,
                },
                operation,
                {
                  title: texts.everTotal,
                  look: 'number',
                  end: true,
                  isLabelled: true,
                  cell: ({ totalCalls }) => formatNumber(totalCalls),
                },
                lastCall,
              ]}
            />
          </div>
        )}
      </section>
      <section className="section">
        <h2>{texts.operations}</h2>
        <div className="card">
          <Table
            label={texts.operations}
            items={operations}
            keyOf={({ operationId }) => operationId}
            columns={[
              operation,
              {
                title: texts.total,
                look: 'number',
                end: true,
                cell: ({ days }) => formatNumber(days.reduce((sum, { calls }) => sum + calls, 0)),
              },
              lastCall,
            ]}
          />
        </div>
      </section>
    </>
  );
}

/** The calls of all operations on each day. Every operation has the same days. */
function sumByDay([first, ...others]: readonly OperationUsage[]): Day[] {
  const sum = (index: number) =>
    others.reduce((total, { days }) => total + (days[index]?.calls ?? 0), 0);
  return (first?.days ?? []).map(({ date, calls }, index) => ({ date, count: calls + sum(index) }));
}
