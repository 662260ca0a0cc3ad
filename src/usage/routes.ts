import { reading } from '../http/contract/handler.ts';
import { getUsage, handleGetUsage } from './get-usage.ts';

/** The operations on usage. */
export const usageOperations = [reading(getUsage, handleGetUsage)];
