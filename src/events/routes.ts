import { reading } from '../http/contract/handler.ts';
import { handleListEvents, listEvents } from './list-events.ts';

/** The operations on events. */
export const eventOperations = [reading(listEvents, handleListEvents)];
