/** Numbers of a storage that are read when the metrics are read. */
export interface StorageMeasurements {
  /** The size of the `-wal` file in bytes. Undefined without one. */
  readonly walBytes?: number;
  readonly pools?: readonly PoolMeasurements[];
}

export interface PoolMeasurements {
  /** `write`, `read`, or `standby 1` and so on. */
  readonly name: string;
  readonly open: number;
  readonly busy: number;
  /** Transactions or statements that wait for a connection. */
  readonly waiting: number;
  /** The maximum number of connections. */
  readonly limit: number;
}

/** Receives the number of writes of a transaction, and its duration, after it is durable. */
export type OnBatch = (writes: number, seconds: number) => void;
