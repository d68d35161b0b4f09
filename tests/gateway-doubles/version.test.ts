import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from '../../gateway/http/version.ts';

test('the gateway reports the version of its package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(version).toBe(manifest.version);
});
