interface Call<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

interface BatchLoaderOptions<Key, Value> {
  /** Keys of the same kind can be loaded in one batch. */
  kindOf(key: Key): string;
  readonly maxBatchSize: number;
  /** Loads the values of keys of one kind, in their order. If it fails, all of its calls fail. */
  load(keys: readonly Key[]): Promise<readonly Value[]>;
}

/** Returns a function that loads one value. Calls before the next microtask are loaded in batches. */
export function batchLoader<Key, Value>({
  kindOf,
  maxBatchSize,
  load,
}: BatchLoaderOptions<Key, Value>): (key: Key) => Promise<Value> {
  const waiting: Call<Key, Value>[] = [];

  const loadAll = (calls: readonly Call<Key, Value>[]): void => {
    for (const ofKind of Map.groupBy(calls, ({ key }) => kindOf(key)).values()) {
      for (let start = 0; start < ofKind.length; start += maxBatchSize) {
        void loadBatch(ofKind.slice(start, start + maxBatchSize));
      }
    }
  };

  const loadBatch = async (batch: readonly Call<Key, Value>[]): Promise<void> => {
    try {
      const values = await load(batch.map(({ key }) => key));
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return (key) =>
    new Promise((resolve, reject) => {
      // The requests of one batch are handled synchronously, so all calls come before the microtask.
      if (waiting.push({ key, resolve, reject }) === 1) {
        queueMicrotask(() => loadAll(waiting.splice(0)));
      }
    });
}
