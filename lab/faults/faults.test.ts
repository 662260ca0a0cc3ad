import { SHORT_ROUND } from './rounds.ts';
import { testRounds } from './test-rounds.ts';

testRounds(SHORT_ROUND);
