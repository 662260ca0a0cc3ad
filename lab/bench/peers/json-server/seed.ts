import { writeFileSync } from 'node:fs';
import { readRows } from '../rows.ts';

const pets = [...readRows()].map((row, index) => ({ id: index + 1, ...row }));
writeFileSync(`${process.env['DATABASE']}.json`, JSON.stringify({ pets }));
