/** The files of deploy/systemd, with the programs of Debian. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handbookBlock } from '../support/handbook.ts';
import { inWorkplace, ROOT, runProgram } from '../support/process.ts';

const isMissing = Bun.which('systemd-analyze') === null;

test.skipIf(isMissing)(
  'systemd accepts the unit, and the lines of the handbook that add a credential',
  inWorkplace(async (place) => {
    const unit = readFileSync(join(ROOT, 'deploy/systemd/animal-store.service'), 'utf8');
    const executable = await place.write('animal-store', '#!/bin/sh\n');
    await runProgram(['chmod', '+x', executable]);
    const path = await place.write(
      'animal-store.service',
      unit.replaceAll('/usr/local/bin/animal-store', executable),
    );
    await place.write(
      'animal-store.service.d/override.conf',
      handbookBlock('postgresql', 'credential'),
    );
    const { status, stderr } = await runProgram(['systemd-analyze', 'verify', path]);
    expect([status, stderr]).toEqual([0, '']);
  }),
);
