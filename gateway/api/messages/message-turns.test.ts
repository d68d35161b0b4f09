import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messagesReader } from './read-messages-request.ts';

/** Returns base64 content that begins as files of its type do. */
const base64 = (start: string) => Buffer.from(start, 'latin1').toString('base64');
const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data });
const picture = { type: 'image', source: source('image/png', base64('\x89PNG\r\n\x1a\n')) };
const document = { type: 'document', source: source('application/pdf', base64('%PDF-1.4\n%%EOF')) };
const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { index: 1 } };
const user = (content: unknown) => ({ role: 'user', content });
const text = (words: string) => ({ type: 'text', text: words });

test('every conversation of the Messages API is converted with all of its text in order', () => {
  const words = fc.string({ minLength: 1, maxLength: 8 }).map((random) => `${random}·`);
  const textBlock = words.map((word) => text(word));
  const given = fc.oneof(textBlock, textBlock, fc.constant(picture), fc.constant(document));
  const turn = (round: number) =>
    fc
      .record({
        asked: fc.oneof(words, fc.array(given, { maxLength: 25 })),
        thought: fc.boolean(),
        answered: fc.array(textBlock, { maxLength: 3 }),
        calls: fc.nat(3),
        results: fc.array(fc.oneof(words, fc.array(given, { maxLength: 3 })), { minLength: 3, maxLength: 3 }),
      })
      .map(({ asked, thought, answered, calls, results }) => {
        const ids = Array.from({ length: calls }, (_, index) => `toolu_${round}_${index}`);
        const thinking = thought ? [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] : [];
        const uses = ids.map((id) => ({ ...use, id }));
        const given = ids.map((id, index) => ({ type: 'tool_result', tool_use_id: id, content: results[index] }));
        return [
          user(asked),
          { role: 'assistant', content: [...thinking, ...answered, ...uses] },
          ...(calls > 0 ? [user(given)] : []),
        ];
      });
  const conversation = fc
    .nat(5)
    .chain((rounds) => fc.tuple(...Array.from({ length: rounds + 1 }, (_, round) => turn(round))));
  fc.assert(
    fc.property(conversation, (turns) => {
      const messages = turns.flat();
      const body = JSON.parse(JSON.stringify({ model: 'm', max_tokens: 5, messages }));
      const fields = messagesReader.read(body, { messages: null, strict: true, wantsDigest: false });
      const getWords = (value: unknown) => (JSON.stringify(value).match(/(?:[^"\\]|\\.)*·/g) ?? []).join('');
      expect(getWords(fields.messages)).toBe(getWords(messages));
      expect(fields.warnings).toEqual([]);
    }),
  );
});
