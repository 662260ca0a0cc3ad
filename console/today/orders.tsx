import { linkTo } from '../address.ts';
import { serviceNow } from '../clock.ts';
import { formatNumber } from '../format.ts';
import { dayAt } from '../orders/order-query.ts';
import { TimeLeft } from '../orders/order-status.tsx';
import { usePetNames } from '../orders/queries.ts';
import type { Shown } from '../orders/shown.tsx';
import { Button } from '../parts/button.tsx';
import { Name } from '../parts/named.tsx';
import { Figures, Panel } from '../parts/panel.tsx';
import { Plot } from '../parts/plot.tsx';
import { TEXTS } from '../texts.ts';
import { MAX_COUNTED, useSummary } from './queries.ts';

/** The orders that were handed over on some days, returned ones among them. */
const soldOn = (from: string, to: string) => linkTo('orders', { by: 'delivered', from, to });

/** How much was sold: on each day, and in sums. */
export function Sold() {
  const texts = TEXTS.today;
  return (
    <Panel title={texts.sold} result={useSummary()}>
      {({ days }) => {
        // The service may begin the day later than the browser.
        const last = dayAt(serviceNow());
        const since = (label: string, first: string) => {
          const count = days
            .filter(({ date }) => date >= first)
            .reduce((sum, { delivered }) => sum + delivered, 0);
          return { label, count: formatNumber(count), href: soldOn(first, last) };
        };
        return (
          <>
            <Figures
              figures={[
                since(texts.today, last),
                since(texts.week, mondayOf(last)),
                since(texts.days(days.length), days[0]?.date ?? ''),
              ]}
            />
            <Plot
              label={texts.soldDays}
              days={days.map(({ date, delivered }) => ({
                date,
                count: delivered,
                href: soldOn(date, date),
              }))}
            />
          </>
        );
      }}
    </Panel>
  );
}

function mondayOf(date: string): string {
  const day = new Date(date);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/** The open orders, and the holds among them that end soonest. */
export function Holds({ onShow }: { readonly onShow: (shown: Shown) => void }) {
  const result = useSummary();
  const nameOf = usePetNames(result.data?.expiringNext ?? []);
  const texts = TEXTS.today;
  return (
    <Panel title={texts.holds} result={result}>
      {({ openOrders, expiringNext, expireToday }) => (
        <>
          <Figures
            figures={[
              {
                label: texts.expireToday,
                count:
                  expireToday < MAX_COUNTED
                    ? formatNumber(expireToday)
                    : texts.atLeast(formatNumber(MAX_COUNTED)),
                href: linkTo('orders', { status: 'placed', sort: 'expiresAt' }),
              },
              ...(['placed', 'approved'] as const).map((status) => ({
                label: TEXTS.orderStatus[status],
                count: formatNumber(openOrders[status]),
                href: linkTo('orders', { status }),
              })),
            ]}
          />
          <ul className="short">
            {expiringNext.map(({ id, petId, reference, expiresAt }) => (
              <li key={id}>
                <Button look="link" onClick={() => onShow({ orderId: id })}>
                  <Name>{nameOf(petId) ?? petId}</Name>
                  <span className="visually-hidden">{TEXTS.orders.numbered(id)}</span>
                </Button>
                <span>{reference && <Name>{reference}</Name>}</span>
                {expiresAt && <TimeLeft until={expiresAt} />}
              </li>
            ))}
          </ul>
          {expiringNext.length === 0 && <p className="muted">{texts.noHolds}</p>}
        </>
      )}
    </Panel>
  );
}
