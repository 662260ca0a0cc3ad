import { expect, test } from 'bun:test';
import { decrypt } from '../../src/encryption.ts';

test('what an earlier version stored can be decrypted', () => {
  const stored = Buffer.from('h9zuFfNfkTcYW4GM1X8DEmHa4gjAO63iqUcC8f4+/6Zl+Q==', 'base64');
  expect(decrypt(stored, new Uint8Array(32)).toString()).toBe('secret');
});
