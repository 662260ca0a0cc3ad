/** X.509 certificates (RFC 5280) for tests, written as DER (ITU-T X.690). */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Certificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** Signs certificates. */
export interface Authority extends Certificate {
  issue(options: { name: string; hosts?: readonly string[]; expired?: boolean }): Certificate;
}

const DAY_MS = 86_400_000;

export function createAuthority(name: string): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const own = { issuer: name, issuerKey: keys.privateKey };
  const certificate = build({ ...own, subject: name, key: keys.publicKey, extensions: [IS_CA] });
  return {
    certificate,
    key: toPem(keys.privateKey),
    issue({ name: subject, hosts = [], expired = false }) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = hosts.length === 0 ? [] : [alternativeNames(hosts)];
      const issued = build({ ...own, subject, key: pair.publicKey, extensions, expired });
      return { certificate: issued, key: toPem(pair.privateKey) };
    },
  };
}

interface Content {
  readonly subject: string;
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly key: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly expired?: boolean;
}

function build({ subject, issuer, issuerKey, key, extensions, expired = false }: Content): string {
  const untilMs = Date.now() + (expired ? -DAY_MS : DAY_MS);
  const serial = Buffer.concat([Buffer.of(1), randomBytes(8)]);
  const content = sequence(
    der(0xa0, der(INTEGER, Buffer.of(2))), // version 3
    der(INTEGER, serial),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(timeOf(untilMs - 2 * DAY_MS), timeOf(untilMs)),
    nameOf(subject),
    key.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, issuerKey));
  const base64 = sequence(content, ECDSA_WITH_SHA256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const toPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengthBytes =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

const INTEGER = 0x02;
const sequence = (...contents: readonly Buffer[]): Buffer => der(0x30, ...contents);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));

/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

/** A name with a common name (2.5.4.3). */
const nameOf = (commonName: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), text(0x0c, commonName))));

/** UTCTime: YYMMDDHHMMSSZ */
const timeOf = (ms: number): Buffer =>
  text(0x17, `${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`);

/** basicConstraints (2.5.29.19), critical: an authority. */
const IS_CA = sequence(
  oid('551d13'),
  der(0x01, Buffer.of(0xff)),
  der(0x04, sequence(der(0x01, Buffer.of(0xff)))),
);

/** subjectAltName (2.5.29.17) with DNS names. */
const alternativeNames = (hosts: readonly string[]): Buffer =>
  sequence(oid('551d11'), der(0x04, sequence(...hosts.map((host) => text(0x82, host)))));
