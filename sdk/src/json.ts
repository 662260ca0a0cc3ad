/** Exact JSON for users: files, queues and messages that contain animals or events. */
import * as int64 from './int64.ts';

/**
 * Parses JSON like `JSON.parse`, but integers are exact, in the representation of the option `int64`. By default, a safe
 * integer is a number, and another one a bigint.
 * @throws SyntaxError if the text is no JSON
 * @throws RangeError if the representation is `number` and an integer is not safe
 */
export const parseJson: (text: string, mode?: int64.Int64Mode) => unknown = int64.parseJson;

/**
 * Renders JSON like `JSON.stringify`, but a bigint as its digits. A 64-bit field of the service is an exact integer, also from text.
 * @throws TypeError if a 64-bit field is not exact
 */
export const renderJson: (value: unknown) => string = int64.renderJson;
