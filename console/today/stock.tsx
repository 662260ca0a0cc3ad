import type { CountedCategory, Inventory } from '../../sdk/src/index.ts';
import { linkTo } from '../address.ts';
import { CategoryName } from '../categories/category-name.tsx';
import { formatNumber } from '../format.ts';
import type { Shown } from '../orders/shown.tsx';
import { Button } from '../parts/button.tsx';
import { Name } from '../parts/named.tsx';
import { Panel } from '../parts/panel.tsx';
import { TEXTS } from '../texts.ts';
import { useStock, useWaiting } from './queries.ts';

const STATUSES = ['available', 'pending', 'unset', 'sold'] as const;
/** A sold animal is counted, but it is no stock. */
const IN_STOCK = STATUSES.slice(0, -1);

/** How many categories are shown: those with the largest stock. */
const SHOWN = 8;

const stockOf = ({ counts }: CountedCategory<string>): number =>
  IN_STOCK.reduce((sum, status) => sum + counts[status], 0);

/**
 * How many animals of each status exist, in all and in the largest categories, with a bar of their stock. Each count leads to
 * its animals.
 */
export function Stock() {
  const texts = TEXTS.today;
  return (
    <Panel title={texts.stock} result={useStock()}>
      {({ all, categories }) => {
        const largest = [...categories].sort((a, b) => stockOf(b) - stockOf(a)).slice(0, SHOWN);
        const most = Math.max(1, ...largest.map(stockOf));
        const rows = [...largest, ...(all ? [{ id: '', counts: all }] : [])];
        // Few stores have animals without a status.
        const statuses = STATUSES.filter(
          (status) => status !== 'unset' || rows.some(({ counts }) => counts.unset > 0),
        );
        return (
          <>
            <table className="stock">
              <thead>
                <tr>
                  <th scope="col">{TEXTS.common.category}</th>
                  <td />
                  {statuses.map((status) => (
                    <th scope="col" key={status}>
                      {TEXTS.petStatus[status]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ id: category, counts }) => (
                  <tr key={category}>
                    <th scope="row">
                      <a href={linkTo('animals', { category })}>
                        {category === '' ? TEXTS.common.all : <CategoryName id={category} />}
                      </a>
                    </th>
                    <td>{category !== '' && <Bar counts={counts} most={most} />}</td>
                    {statuses.map((status) => (
                      <td key={status} className="number">
                        {counts[status] === 0 ? (
                          <span className="muted">0</span>
                        ) : (
                          <a href={linkTo('animals', { status, category })}>
                            {formatNumber(counts[status])}
                          </a>
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            {categories.length > SHOWN && <a href={linkTo('categories')}>{texts.allCategories}</a>}
          </>
        );
      }}
    </Panel>
  );
}

/** A bar as long as the stock is large, in the colours of the statuses. */
function Bar({ counts, most }: { readonly counts: Inventory; readonly most: number }) {
  let x = 0;
  return (
    <svg className="stock-bar" aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
      {IN_STOCK.map((status) => {
        const width = (100 * counts[status]) / most;
        x += width;
        return (
          <rect key={status} className={status} x={x - width} width={width} height="10">
            <title>{`${TEXTS.petStatus[status]}: ${formatNumber(counts[status])}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

export function Waiting({ onShow }: { readonly onShow: (shown: Shown) => void }) {
  const texts = TEXTS.today;
  return (
    <Panel title={texts.waiting} result={useWaiting()}>
      {({ data }) => (
        <>
          <ul className="short">
            {data.map(({ id, name, categoryId }) => (
              <li key={id}>
                <Button
                  look="link"
                  aria-label={TEXTS.animals.open(name)}
                  onClick={() => onShow({ petId: id })}
                >
                  <Name>{name}</Name>
                </Button>
                <span className="muted">
                  <CategoryName id={categoryId} />
                </span>
                <span className="muted number">{id}</span>
              </li>
            ))}
          </ul>
          {data.length === 0 ? (
            <p className="muted">{texts.noneWaiting}</p>
          ) : (
            <a href={linkTo('animals', { status: 'available', sort: 'id' })}>{texts.allWaiting}</a>
          )}
        </>
      )}
    </Panel>
  );
}
