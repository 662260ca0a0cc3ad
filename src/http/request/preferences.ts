/** RFC 7240: the preference may be in a list and have parameters, and the first one counts. */
const HANDLING = /(?:^|,)\s*handling\s*=\s*"?([a-z]*)"?\s*(?:[;,]|$)/i;

/** A comma in a quoted text ends no preference. Without its end, the text reaches to the end of the header. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|$)/g;

/** Whether a request asks to be refused if it has unknown parameters or fields. */
export function prefersStrict(headers: Headers): boolean {
  const prefer = headers.get('prefer');
  if (prefer === null) return false;
  const preferences = prefer.replace(QUOTED, (text) => text.replaceAll(',', ''));
  return HANDLING.exec(preferences)?.[1]?.toLowerCase() === 'strict';
}
