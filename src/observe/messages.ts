import type { RareObservation, RequestObservation } from './attributes.ts';
import { messageOf } from './exception.ts';

/** Longer than any sentence of ours: an error of a library may have pages. */
const MAX_CAUSE = 200;

type Messages = {
  readonly [Kind in RareObservation['kind']]: (
    observation: RareObservation & { readonly kind: Kind },
  ) => string;
};

const MESSAGES: Messages = {
  server_started: ({ url }) => `The service accepts requests at ${url}`,
  shutdown_started: ({ reason }) => `The service stops: ${reason}`,
  shutdown_finished: () => 'The service has stopped',
  signal_ignored: ({ signal }) => `${signal} has no effect`,
  worker_exited: ({ workerPid, exitCode, signal }) =>
    `The worker process ${workerPid} exited with ${signal ?? exitCode}`,
  worker_replacement_failed: ({ workerPid, error }) =>
    `The successor of the worker process ${workerPid} failed to start${error === undefined ? '' : `: ${causeOf(error)}`}`,
  drain_timeout: ({ activeRequests }) =>
    `The shutdown timeout passed. Requests in progress: ${activeRequests}`,
  request_failed: ({ error }) => `A request failed: ${causeOf(error)}`,
  event_stream_ended: ({ reason }) => `A stream of events ended: ${reason}`,
  credential_refused: ({ reason }) => `A credential was refused: ${reason}`,
  api_key_created: ({ keyId }) => `The API key ${keyId} was created`,
  api_key_rotated: ({ keyId, successorId }) =>
    `The API key ${keyId} was rotated, its successor is ${successorId}`,
  api_key_revoked: ({ keyId }) => `The API key ${keyId} was revoked`,
  connection_rejected: ({ reason }) => reason,
  database_credentials_renewed: () => 'The service connected with the new credentials of the file',
  database_credentials_rejected: ({ reason }) =>
    `The new URL of the database cannot be used: ${reason}`,
  standby_left_out: ({ reason }) => `A standby is left out: ${reason}`,
  standby_used_again: () => 'A standby is used again',
  orders_expired: ({ count }) => `Orders expired: ${count}`,
  orders_deleted: ({ count }) => `Old orders were deleted: ${count}`,
  webhook_attempted: ({ eventId, endpointId, deliveryStatus, reason }) =>
    deliveryStatus === 'delivered'
      ? `The event ${eventId} was delivered to the webhook endpoint ${endpointId}`
      : `The webhook endpoint ${endpointId} did not accept the event ${eventId}: ${reason}`,
  webhook_endpoint_disabled: ({ endpointId, reason }) =>
    `The webhook endpoint ${endpointId} was disabled: ${reason}`,
  background_job_failed: ({ error }) => `A background job failed: ${causeOf(error)}`,
  lines_left_out: ({ event, leftOut }) => `Further lines were left out: ${leftOut} of ${event}`,
  log_lines_dropped: ({ droppedLines }) => `The log lacks lines: ${droppedLines}`,
  database_unavailable: ({ reason }) => reason,
  database_available: ({ unavailableSeconds }) =>
    `The database can be used again, after ${unavailableSeconds} s`,
  clock_jumped: ({ jumpSeconds }) => `The clock was set by ${jumpSeconds} s`,
  clock_behind: ({ behindSeconds }) =>
    `The clock is ${behindSeconds} s behind times in the database`,
  writes_unavailable: ({ reason }) => reason,
  writes_available: ({ unavailableSeconds }) => `Writes work again, after ${unavailableSeconds} s`,
  checkpoint_failed: ({ error }) => `Changes stay in the -wal: ${causeOf(error)}`,
  database_damaged: ({ error }) => `The database file is damaged: ${causeOf(error)}`,
};

const causeOf = (error: unknown): string => {
  const message = messageOf(error);
  return message.length > MAX_CAUSE ? `${message.slice(0, MAX_CAUSE)}…` : message;
};

/** What happened, as one short sentence for people. Programs read the attributes. */
export const sentenceOf = (observation: RareObservation): string =>
  (MESSAGES[observation.kind] as (it: RareObservation) => string)(observation).replace(/\.$/, '');

/** The same of a request. A page or an unknown path has no route. */
export const requestSentence = ({
  method,
  route,
  status,
  durationSeconds,
}: RequestObservation): string => {
  const milliseconds = Math.round(durationSeconds * 1e4) / 10;
  return route === undefined
    ? `${method} ${status} in ${milliseconds} ms`
    : `${method} ${route} ${status} in ${milliseconds} ms`;
};
