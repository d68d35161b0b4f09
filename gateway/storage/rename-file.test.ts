import { describe, expect, test } from 'vitest';
import { renameFile, renameFileSync } from './rename-file.ts';

/** Returns a rename that fails this many times with a code, as when a scanner has the file open. */
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
    'a rename is retried on Windows while another program holds the file: %s',
    async (code) => {
      const { move, calls } = held(2, code);
      await rename(move, 'win32');
      expect(calls()).toBe(3);
    },
  );

  test('a rename fails at once when waiting would not help', async () => {
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
