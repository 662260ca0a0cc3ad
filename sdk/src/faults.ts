/** The messages of the service that name fields or parameters ("Fields in messages" in docs/integrate.md). */

/** An invalid field or parameter. */
export interface FieldFault {
  /** The names of fields and the positions in arrays that lead to it, such as `['pets', 3, 'name']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong with it, such as `must not be empty`. */
  readonly message: string;
}

const NAME = String.raw`(?:\w+|"(?:[^"\\]|\\.)*")`;
/** Sticky: the first text that is no fault ends the faults, such as `and 3 more`. */
const FAULT = new RegExp(String.raw`(${NAME}(?:\.${NAME}|\[\d+])*): ([^;]+)(?:; |$)`, 'gy');
const PART = new RegExp(String.raw`\[(\d+)]|${NAME}`, 'g');

/** The faults in a message. Empty if it does not follow the grammar. */
export const parseFaults = (message: string): FieldFault[] =>
  [...message.matchAll(FAULT)].map(([, path = '', text = '']) => ({
    path: [...path.matchAll(PART)].map(([name, index]) => {
      if (index !== undefined) return Number(index);
      return name.startsWith('"') ? JSON.parse(name) : name;
    }),
    message: text,
  }));
