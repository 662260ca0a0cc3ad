/** One member of Accept-Encoding: a coding and its weight (RFC 9110 §12.4.2, §12.5.3). */
const MEMBER =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/i;

/** Names with the same meaning (RFC 9110 §8.4.1.3). */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/**
 * Returns the offered content coding that a client prefers. Undefined: none, even if nothing is acceptable (RFC 9110
 * §12.5.3). Of equal weights the first offered coding counts. A malformed member is ignored.
 * @param header the Accept-Encoding header, null if the request has none.
 */
export function preferredCoding<Coding extends string>(
  header: string | null,
  offered: readonly Coding[],
): Coding | undefined {
  if (header === null) return undefined;
  const weights = weightsOf(header);
  const other = weights.get('*') ?? 0;
  let preferred: Coding | undefined;
  let best = weights.get('identity') ?? other;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? other;
    if (weight > best || (weight === best && weight > 0 && preferred === undefined)) {
      preferred = coding;
      best = weight;
    }
  }
  return preferred;
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(',')) {
    const [, name = '', weight = '1'] = MEMBER.exec(member.trim()) ?? [];
    const coding = name.toLowerCase();
    if (coding !== '') weights.set(ALIASES[coding] ?? coding, Number(weight));
  }
  return weights;
}
