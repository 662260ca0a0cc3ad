import { reading } from '../http/contract/handler.ts';
import { getUsage, handleGetUsage } from './get-usage.ts';

export const usageOperations = [reading(getUsage, handleGetUsage)];
