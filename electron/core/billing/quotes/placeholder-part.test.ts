import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateInputTokens } from '#gateway/providers/content/estimate-tokens.ts';
import { inputBound, inputTokenCeiling } from '#gateway/providers/content/input-bound.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { toWire, type WireMessage } from '../../request/history.ts';
import { placeholderFor } from './quotes-feature.ts';

const toPart = placeholderFor(async () => null);
const pdf = (tokens: number, bytes: number): Attachment => ({
  id: 'a'.repeat(64),
  name: 'paper.pdf',
  kind: 'pdf',
  mediaType: 'application/pdf',
  bytes,
  tokens,
});
const asked = (attachments: Attachment[]): Promise<WireMessage[]> =>
  toWire([{ id: 'q', role: 'user', text: 'What?', attachments, status: 'done' }], {
    reads: () => true,
    toPart,
    tools: false,
  });

test('a quote’s placeholders count as many tokens as the PDFs, in few bytes and one part for each file', async () => {
  const bare = estimateInputTokens(await asked([]), undefined);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1_500, max: 900_000 }), fc.integer({ min: 60, max: 10_485_760 })), {
        minLength: 1,
        maxLength: 10,
      }),
      async (sizes) => {
        const files = sizes.map(([tokens, bytes]) => pdf(tokens, Math.min(bytes, 1_700_000)));
        const messages = await asked(files);
        const counted = estimateInputTokens(messages, undefined) - bare;
        const wanted = files.reduce((sum, { tokens }) => sum + tokens, 0);
        expect(Math.abs(counted - wanted)).toBeLessThanOrEqual(files.length + 1);
        expect(messages[0]?.content?.length).toBe(files.length + 1);
        expect(JSON.stringify(messages).length).toBeLessThan(files.length * 60_000);
      },
    ),
    { numRuns: 100 },
  );
});

test('a placeholder has the same upper bound of tokens as its PDF', async () => {
  for (const bytes of [400, 20_000, 1_000_000]) {
    const [message] = await asked([pdf(3_000, bytes)]);
    const file_data = `data:application/pdf;base64,${'A'.repeat(Math.ceil(bytes / 3) * 4)}`;
    const file = { type: 'file' as const, file: { file_data, filename: 'paper.pdf', file_id: undefined } };
    const most = (content: WireMessage['content']) =>
      inputTokenCeiling(
        inputBound({ messages: [{ role: 'user', content, name: undefined }] as never, parameters: {} }),
        200_000,
      );
    expect(most(message?.content ?? '')).toBeGreaterThanOrEqual(most([file, { type: 'text', text: 'What?' }]) * 0.99);
  }
});
