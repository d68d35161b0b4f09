import { describe, expect, test } from 'vitest';
import { messagesAnswer } from '#shared/wire/messages-answer.ts';
import { getBlocks, getEvents, openForMessages, user } from '../../../tests/gateway-doubles/message-bench.ts';
import { vendorModels } from '../../../tests/gateway-doubles/three-vendors.ts';

/** Clients such as Qwen Code stop with an error if a thinking block has no signature. */

const look = { name: 'one', input_schema: { type: 'object' } };
const tools = [look, { ...look, name: 'two' }];
const asked = { tools, thinking: { type: 'enabled', budget_tokens: 5_000 } };

describe.each(vendorModels)('the thinking of %s before its text', (model) => {
  test('every thinking block has a signature, streamed and non-streaming, and the conversation continues', async () => {
    const { send, calls } = await openForMessages();
    const { content } = messagesAnswer.parse(await (await send({ model, ...asked })).json());
    const events = getEvents(await (await send({ model, ...asked, stream: true })).text());
    for (const blocks of [content, getBlocks(events) as typeof content]) {
      const [first] = blocks;
      expect(first).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/./) });
    }
    const signed = events.findIndex(({ delta }) => delta?.type === 'signature_delta');
    expect(events[signed + 1]).toMatchObject({ type: 'content_block_stop', index: events[signed]?.index });

    const results = content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] : [],
    );
    const messages = [user('hi'), { role: 'assistant', content }, user(results)];
    expect((await send({ model, ...asked, messages })).status).toBe(200);
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null, null]);
    expect(JSON.stringify(calls.at(-1)?.body)).not.toContain('portico.');
  });
});
