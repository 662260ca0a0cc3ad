interface Request {
  /** With its query, below /v1. */
  readonly path: string;
  readonly method: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** A request to the service as it is sent. Its texts are ASCII. */
export function requestText({ method, path, body, idempotencyKey }: Request, key: string): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method} /v1${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    ...(idempotencyKey === undefined ? [] : [`Idempotency-Key: "${idempotencyKey}"`]),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
    `Content-Length: ${text.length}`,
    '',
    text,
  ].join('\r\n');
}
