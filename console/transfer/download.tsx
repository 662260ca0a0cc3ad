import { useEffect, useRef, useState } from 'react';
import { formatNumber } from '../format.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notices.tsx';
import { useAnnounce } from '../parts/status-line.tsx';
import { TEXTS } from '../texts.ts';
import { collect, type FileColumn, type ReadPages, save } from './list-file.ts';
import { Progress } from './progress.tsx';

interface Props<Item> {
  /** The name of the file, without its day and extension. */
  readonly name: string;
  readonly columns: readonly FileColumn<Item>[];
  /** Everything that the list shows, on all its pages. */
  readonly pages: ReadPages<Item>;
}

/** Saves what a list shows as CSV. */
export function Download<Item>({ name, columns, pages }: Props<Item>) {
  const announce = useAnnounce();
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const texts = TEXTS.transfer;
  const isRunning = count !== undefined;
  const run = async () => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setCount(0);
    try {
      const { blob, rows } = await collect(columns, pages(controller.signal), setCount);
      save(blob, `${name}-${new Date().toISOString().slice(0, 10)}.csv`);
      announce(texts.downloaded(formatNumber(rows)));
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    }
    setCount(undefined);
  };
  return (
    <>
      {isRunning && (
        <Progress label={texts.download} count={count} text={texts.rows(formatNumber(count))} />
      )}
      <Button onClick={() => (isRunning ? running.current?.abort() : void run())}>
        {isRunning ? texts.cancel : texts.download}
      </Button>
      {error !== undefined && <Failure error={error} onRetry={run} />}
    </>
  );
}
