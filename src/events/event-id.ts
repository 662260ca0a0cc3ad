import { type Int64, parseInt64 } from '../int64.ts';

/** The id of an event that clients see. They must not take it apart. */
export interface EventId {
  readonly generation: string;
  /** The position in the feed. */
  readonly position: Int64;
}

const ID = /^([0-9a-f]{8})-([1-9][0-9]{0,18})$/;

export const EVENT_ID_PATTERN = '^[0-9a-f]{8}-[1-9][0-9]{0,18}$';

export const formatEventId = ({ generation, position }: EventId): string =>
  `${generation}-${position}`;

/** Undefined if the text is no id of an event. */
export function parseEventId(text: string): EventId | undefined {
  const [, generation, digits = ''] = ID.exec(text) ?? [];
  const position = parseInt64(digits);
  return generation === undefined || position === undefined ? undefined : { generation, position };
}
