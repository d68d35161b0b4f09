import { expect, test } from 'vitest';
import { chatsSaver } from './transfer-feature.ts';

test('chats that are too large for a PDF are refused and nothing is printed', async () => {
  const piece = 'x'.repeat(10_000_000);
  let printed = 0;
  async function* write() {
    for (let count = 0; count < 9; count += 1) yield piece;
  }
  const saver = chatsSaver(write, {
    kind: 'dialog',
    askWhere: async () => '/nowhere/chats.pdf',
    printPdf: async () => {
      printed += 1;
      return new Uint8Array();
    },
  });
  const saved = saver.save({ ids: ['a'], format: 'pdf', name: 'Chats' });
  await expect(saved).rejects.toMatchObject({ code: 'export_failed', refusal: { name: 'tooMuchForPdf' } });
  expect(printed).toBe(0);
});
