import { SHORT_ROUNDS } from './rounds.ts';
import { testRounds } from './test-rounds.ts';

testRounds(SHORT_ROUNDS);
