import { describe, expect, test } from 'vitest';
import { renameFile, renameFileSync } from './rename-file.ts';

/** A rename that fails so often with a code, as where a scanner holds the file. */
function held(times: number, code: string) {
  let calls = 0;
  const move = () => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error(code), { code });
  };
  return { move, calls: () => calls };
}

describe.each([
  [
    'renameFile',
    (move: () => void, platform: NodeJS.Platform) => renameFile('a', 'b', { platform, move: async () => move() }),
  ],
  [
    'renameFileSync',
    async (move: () => void, platform: NodeJS.Platform) => renameFileSync('a', 'b', { platform, move }),
  ],
] as const)('%s', (_name, rename) => {
  test.each(['EPERM', 'EACCES', 'EBUSY'])(
    'tries again on Windows while another program holds the file: %s',
    async (code) => {
      const { move, calls } = held(2, code);
      await rename(move, 'win32');
      expect(calls()).toBe(3);
    },
  );

  test('fails at once where waiting would not help', async () => {
    for (const [code, platform] of [
      ['ENOENT', 'win32'],
      ['EPERM', 'linux'],
    ] as const) {
      const { move, calls } = held(1, code);
      await expect(rename(move, platform)).rejects.toMatchObject({ code });
      expect(calls()).toBe(1);
    }
  });
});
