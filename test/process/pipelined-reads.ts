import { Connection } from './connection.ts';

export const PAIRS = 1_000;

export const readRequest = (key: string): string =>
  `GET /v1/pets?limit=5 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

/** Sends two reads in one segment on their own connection. Returns whether both get a response. */
export async function isPairServed(origin: string, read: string): Promise<boolean> {
  const connection = await Connection.open(origin);
  connection?.send(read + read);
  const statuses = [await connection?.response(), await connection?.response()];
  connection?.close();
  return statuses.every((response) => response?.status === 200);
}

export async function countClosed(origin: string, read: string): Promise<number> {
  let closed = 0;
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (!(await isPairServed(origin, read))) closed += 1;
  }
  return closed;
}

/** Reads until `isOver`, waiting for each response. Returns the number of responses. */
export async function readInTurn(
  origin: string,
  read: string,
  isOver: () => boolean,
): Promise<number> {
  const connection = await Connection.open(origin);
  let responses = 0;
  while (!isOver()) {
    connection?.send(read);
    if ((await connection?.response())?.status === 200) responses += 1;
  }
  connection?.close();
  return responses;
}
