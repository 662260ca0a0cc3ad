import { useEffect } from 'react';
import { serviceNow } from '../clock.ts';
import { formatNumber } from '../format.ts';
import { useRun } from '../many.ts';
import { dayAt } from '../orders/order-query.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { collect, type ReadPages, save } from './list-file.ts';
import { Progress } from './progress.tsx';

interface Props<Item> {
  /** The name of the file, without its day and extension. */
  readonly name: string;
  readonly columns: readonly (keyof Item & string)[];
  /** Everything that the list shows, on all its pages. */
  readonly pages: ReadPages<Item>;
}

export function Download<Item>({ name, columns, pages }: Props<Item>) {
  const announce = useAnnounce();
  const { progress, error, start, stop } = useRun();
  useEffect(() => stop, [stop]);
  const texts = TEXTS.transfer;
  const run = () =>
    start(async (signal, onCount) => {
      const { blob, rows } = await collect(columns, pages(signal), onCount);
      save(blob, `${name}-${dayAt(serviceNow())}.csv`);
      announce(texts.downloaded(formatNumber(rows)));
    });
  return (
    <>
      {progress && (
        <Progress
          label={texts.download}
          count={progress.count}
          text={texts.rows(formatNumber(progress.count))}
        />
      )}
      <Button onClick={progress ? stop : run}>{progress ? texts.cancel : texts.download}</Button>
      {error !== undefined && <Failure error={error} onRetry={run} />}
    </>
  );
}
