/** Loaded into the service before its program (`--preload`): no commit says which readers it affects (`onlyChanges`). */
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';

const { write } = Writer.prototype;

Writer.prototype.write = function (work, options) {
  return write.call(this, work, { ...options, onlyChanges: undefined }) as never;
};
