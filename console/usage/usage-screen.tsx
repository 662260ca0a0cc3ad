import type { Usage } from '../../sdk/src/index.ts';
import { formatNumber, formatTime } from '../format.ts';
import { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { Name } from '../parts/named.tsx';
import { Empty, Failure, Loading } from '../parts/notices.tsx';
import { type Day, Plot } from '../parts/plot.tsx';
import { useRead } from '../reading.ts';
import { TEXTS } from '../texts.ts';

type OperationUsage = Usage<string>['operations'][number];

export function UsageScreen() {
  const { data, error, refetch } = useRead(['usage'], (store, options) => store.usage.get(options));
  const texts = TEXTS.usage;
  return (
    <>
      <Heading title={texts.title} introduction={texts.introduction} />
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && (
        <div className="card">
          <Loading />
        </div>
      )}
      {data?.operations.length === 0 && (
        <div className="card">
          <Empty icon="usage" title={texts.none} hint={texts.noneHint} />
        </div>
      )}
      {data && data.operations.length > 0 && <Content operations={data.operations} />}
    </>
  );
}

function Content({ operations }: { readonly operations: readonly OperationUsage[] }) {
  const days = sumByDay(operations);
  const texts = TEXTS.usage;
  return (
    <>
      <section className="card panel" aria-labelledby="plot-title">
        <h2 id="plot-title">{texts.plot}</h2>
        <Plot days={days} label={texts.total} />
      </section>
      <Deprecated operations={operations.filter(({ lifecycle }) => lifecycle === 'deprecated')} />
      <section className="section" aria-labelledby="operations-title">
        <h2 id="operations-title">{texts.operations}</h2>
        <div className="card">
          <table className="list" aria-labelledby="operations-title">
            <thead>
              <tr>
                <Column>{texts.operation}</Column>
                <Column end>{texts.total}</Column>
                <Column>{texts.lastCall}</Column>
              </tr>
            </thead>
            <tbody>
              {operations.map(({ operationId, lifecycle, days: ownDays, lastCalledAt }) => (
                <tr className="row" key={operationId}>
                  <td className="mono">
                    {operationId}{' '}
                    {lifecycle === 'deprecated' && (
                      <span className="chip waiting">{lifecycle}</span>
                    )}
                  </td>
                  <td className="number end">
                    {formatNumber(ownDays.reduce((sum, { calls }) => sum + calls, 0))}
                  </td>
                  <td data-wide data-label={texts.lastCall}>
                    {formatTime(lastCalledAt)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  );
}

/** The calls of all operations on each day. Every operation has the same days. */
function sumByDay(operations: readonly OperationUsage[]): Day[] {
  const [first] = operations;
  if (first === undefined) return [];
  return first.days.map(({ date }, index) => ({
    date,
    count: operations.reduce((sum, { days }) => sum + (days[index]?.calls ?? 0), 0),
  }));
}

function Deprecated({ operations }: { readonly operations: readonly OperationUsage[] }) {
  const texts = TEXTS.usage;
  const callers = operations.flatMap(({ operationId, keys }) =>
    keys.map((key) => ({ operationId, ...key })),
  );
  return (
    <section className="section" aria-labelledby="deprecated-title">
      <div>
        <h2 id="deprecated-title">{texts.deprecated}</h2>
        <p className="muted">{callers.length > 0 ? texts.deprecatedHint : texts.nobody}</p>
      </div>
      {callers.length > 0 && (
        <div className="card">
          <table className="list" aria-labelledby="deprecated-title">
            <thead>
              <tr>
                <Column>{texts.key}</Column>
                <Column>{texts.operation}</Column>
                <Column end>{texts.everTotal}</Column>
                <Column>{texts.lastCall}</Column>
              </tr>
            </thead>
            <tbody>
              {callers.map(({ operationId, keyId, keyName, totalCalls, lastCalledAt }) => (
                <tr className="row" key={`${operationId} ${keyId}`}>
                  <td className="title">
                    <Name>{keyName}</Name>
                  </td>
                  <td className="mono">{operationId}</td>
                  <td className="number end" data-label={texts.everTotal}>
                    {formatNumber(totalCalls)}
                  </td>
                  <td data-wide data-label={texts.lastCall}>
                    {formatTime(lastCalledAt)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
