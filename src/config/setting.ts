import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DAY_MS } from '../clock.ts';
import type { RateLimit } from '../http/middleware/rate-limit.ts';
import { parseNetwork } from '../http/request/networks.ts';
import { isPostgresUrl, PART_OF_DATABASE } from '../storage/database-url.ts';
import { InvalidUrl, parsePostgresUrl, URL_FORM } from '../storage/postgres-url.ts';
import { parseDuration } from './duration.ts';

interface SettingBase<T> {
  readonly flag: string;
  readonly variable: string;
  readonly description: string;
  /** Describes the allowed values. Follows "must be" in an error message. */
  readonly allowed: string;
  /** Returns undefined if the text is not an allowed value. @throws InvalidUrl, which says more. */
  readonly parse: (text: string) => T | undefined;
}

/** A setting with a default, written as a user would write it. */
export interface Setting<T> extends SettingBase<T> {
  readonly default: string;
}

/** A setting that is undefined if it is not set. `whenUnset` describes what applies then. */
export interface OptionalSetting<T> extends SettingBase<T> {
  readonly whenUnset: string;
}

type Declared<S extends { flag: string }> = Omit<S, 'flag'> & Partial<Pick<S, 'flag'>>;

/** The flag of a variable: `--base-url` for `BASE_URL`. */
const flagOf = (variable: string): string => `--${variable.toLowerCase().replaceAll('_', '-')}`;

export const setting = <T>(declared: Declared<Setting<T>>): Setting<T> => ({
  flag: flagOf(declared.variable),
  ...declared,
});

export const optionalSetting = <T>(declared: Declared<OptionalSetting<T>>): OptionalSetting<T> => ({
  flag: flagOf(declared.variable),
  ...declared,
});

export const oneOf = <const T extends string>(...values: readonly T[]) => ({
  allowed: `one of ${values.join(', ')}`,
  parse: (text: string): T | undefined => values.find((value) => value === text),
});

export const onOff = {
  allowed: 'on or off',
  parse: (text: string): boolean | undefined =>
    text === 'on' ? true : text === 'off' ? false : undefined,
};

export const duration = (maximumMs: number, maximum: string, minimumMs = 1) => ({
  allowed: `a duration from ${minimumMs === 0 ? '0' : `${minimumMs}ms`} to ${maximum}, such as 500ms, 30s or 2m`,
  parse: (text: string): number | undefined => {
    const ms = text === '0' ? 0 : parseDuration(text);
    return ms !== undefined && ms >= minimumMs && ms <= maximumMs ? ms : undefined;
  },
});

/** How long data are kept. Infinite if they are never deleted. */
export const retention = {
  allowed: 'off, or a duration from 1d to 36500d, such as 90d',
  parse: (text: string): number | undefined => {
    if (text === 'off') return Number.POSITIVE_INFINITY;
    const ms = parseDuration(text);
    return ms !== undefined && ms >= DAY_MS && ms <= 36_500 * DAY_MS ? ms : undefined;
  },
};

/** Values with commas between them. Undefined if one is not allowed. */
const listOf =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string): T[] | undefined => {
    const values = text.split(',').map((one) => parse(one.trim()));
    return values.every((value) => value !== undefined) ? values : undefined;
  };

export const networks = {
  allowed: 'networks such as 10.0.0.0/8 or fd00::/8, separated by commas',
  parse: listOf(parseNetwork),
};

/** 32 random bytes each. */
export const secretKeys = {
  allowed: '32 bytes in base64, and after commas the previous ones',
  parse: listOf((key) =>
    /^[A-Za-z0-9+/]{43}=$/.test(key) ? Buffer.from(key, 'base64') : undefined,
  ),
};

/**
 * URLs appear in headers and in an HTML page. `URL` alone does not validate them: it accepts quotes and `*` in a
 * host, and drops or encodes some characters.
 */
const ORIGIN = '^https?://(?:[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+\\])(?::[0-9]+)?';
const PLAIN_ORIGIN = new RegExp(`${ORIGIN}$`);
const PLAIN_BASE_URL = new RegExp(`${ORIGIN}(?:/(?!\\.{1,2}/)[a-z0-9._~-]+)*/v1$`, 'i');

export const baseUrl = {
  allowed:
    'an http or https URL that ends in /v1, such as https://store.example/v1, with letters, digits and - . _ ~ in host and path',
  parse: (text: string): string | undefined =>
    PLAIN_BASE_URL.test(text) && URL.canParse(text) ? new URL(text).href : undefined,
};

export const wholeNumber = (minimum: number, maximum: number) => ({
  allowed: `a whole number from ${minimum} to ${maximum}`,
  parse(text: string): number | undefined {
    const value = /^(?:0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  },
});

export const hostName = {
  allowed: 'a host name or an IP address',
  parse: (text: string): string | undefined => (/^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined),
};

export const workerCount = {
  allowed: 'auto or a whole number from 1 to 64',
  parse: (text: string): number | undefined =>
    text === 'auto' ? Math.min(availableParallelism(), 64) : wholeNumber(1, 64).parse(text),
};

export const origins = {
  allowed:
    'http or https origins with an exact host in lower case, such as https://shop.example, separated by commas',
  parse: listOf((text) => (isOrigin(text) ? text : undefined)),
};

export const rateLimit = {
  allowed: 'requests and a window in seconds, such as 600/60s',
  parse(text: string): RateLimit | undefined {
    const [, quota, windowSeconds] = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,5})s$/.exec(text) ?? [];
    return quota === undefined || windowSeconds === undefined
      ? undefined
      : { quota: Number(quota), windowSeconds: Number(windowSeconds) };
  },
};

export const filePath = {
  allowed: 'the path of a file',
  parse: (text: string): string | undefined =>
    text === '' || text.endsWith('/') || text.includes('\0') ? undefined : text,
};

export const databaseUrl = {
  allowed: `a path or a file: URL of a file on a local disk, or a URL such as ${URL_FORM}`,
  parse(text: string): string | undefined {
    if (isPostgresUrl(text)) return parsePrimary(text);
    refuseOtherForms(text);
    return parseFile(text);
  },
};

export const postgresUrls = {
  allowed: `URLs such as ${URL_FORM}, separated by commas`,
  parse: listOf(parseStandby),
};

/** Whether browsers send this origin: without a default port, and with an IP address in its shortest form. */
const isOrigin = (text: string): boolean =>
  PLAIN_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** The service sends writes to this server. */
function parsePrimary(text: string): string {
  const { sessionAttributes = 'any' } = parsePostgresUrl(text);
  if (['any', 'read-write', 'primary'].includes(sessionAttributes)) return text;
  throw new InvalidUrl(
    'the parameter target_session_attrs must be any, read-write or primary: standbys belong in DATABASE_STANDBY_URLS',
  );
}

function parseStandby(text: string): string | undefined {
  if (!isPostgresUrl(text)) return undefined;
  const { sessionAttributes = 'any' } = parsePostgresUrl(text);
  if (!['read-write', 'primary'].includes(sessionAttributes)) return text;
  throw new InvalidUrl(
    'the parameter target_session_attrs of a standby must be any, read-only, standby or prefer-standby',
  );
}

/** Otherwise, another form of a PostgreSQL address would be the path of a new file, with the password. */
const OTHER_FORMS: readonly (readonly [RegExp, string])[] = [
  [/^["'].*:\/\//s, 'it begins with a quotation mark: remove the quotation marks'],
  [/^jdbc:/i, `it is a JDBC URL: write it as ${URL_FORM}`],
  [/^postgres(?:ql)?(?:\+|:)/i, `it is not a URL of PostgreSQL: write it as ${URL_FORM}`],
  [
    /(?:^|\s)(?:host|hostaddr|port|dbname|user|password|sslmode|service)\s*=/i,
    `it is a connection string of keywords: write it as ${URL_FORM}`,
  ],
  // The runtime would open a file without the white space.
  [/^(?:file:)?\s|\s$|^file:.*%(?:0[9a-d]|20)$/i, 'it begins or ends with white space: remove it'],
  [PART_OF_DATABASE, 'a file of this name belongs to another database: name another file'],
];

function refuseOtherForms(text: string): void {
  const [, problem] = OTHER_FORMS.find(([form]) => form.test(text)) ?? [];
  if (problem !== undefined) throw new InvalidUrl(problem);
}

function parseFile(text: string): string | undefined {
  if (text.startsWith('file:')) {
    const base = pathToFileURL(`${process.cwd()}/`);
    if (!URL.canParse(text, base.href)) return undefined;
    const url = new URL(text.replace(/^file:(?!\/)/, ''), base);
    // A file name cannot contain %2F or %00; the runtime throws for %2F.
    const isPath = url.search === '' && url.host === '' && !/%(?:2f|00)/i.test(url.pathname);
    return isPath ? fileURLToPath(url) : undefined;
  }
  const isOther = text === '' || /^(?:[a-z][a-z0-9+.-]+)?:/i.test(text) || text.includes('\0');
  return isOther ? undefined : text;
}
