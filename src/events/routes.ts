import { reading } from '../http/contract/handler.ts';
import { handleListEvents, listEvents } from './list-events.ts';
import { handleStreamEvents, streamEvents } from './stream-events.ts';

export const eventOperations = [
  reading(listEvents, handleListEvents),
  reading(streamEvents, handleStreamEvents),
];
