/** Each fault of the PostgreSQL server and of the network, on a service under load. */
import { ROUNDS } from '../faults/rounds.ts';
import { testRounds } from '../faults/test-rounds.ts';

testRounds(ROUNDS);
