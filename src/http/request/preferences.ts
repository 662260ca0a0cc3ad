/** RFC 7240: the preference may be in a list and have parameters, and the first one counts. */
const HANDLING = /(?:^|,)\s*handling\s*=\s*"?([a-z]*)"?\s*(?:[;,]|$)/i;

/** Whether a request asks to be refused if it has unknown parameters or fields. */
export function prefersStrict(headers: Headers): boolean {
  const prefer = headers.get('prefer');
  return prefer !== null && HANDLING.exec(prefer)?.[1]?.toLowerCase() === 'strict';
}
