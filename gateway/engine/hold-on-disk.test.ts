import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { openThreeProviders, type ThreeProviders } from '../../tests/gateway-doubles/three-providers.ts';
import { hangingReply, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';

let upstream: Upstream;
let open: ThreeProviders['open'];
let close: ThreeProviders['close'];
beforeEach(async () => {
  ({ upstream, open, close } = await openThreeProviders());
});
afterEach(() => close());

const path = '/v1/chat/completions';
const question = { model: 'openai/gpt-x', messages: [{ role: 'user', content: 'hello' }] };

test.each([true, false])(
  'the upstream is called while the hold is being written, and no byte is sent before it is on the disk (streamed: %s)',
  async (stream) => {
    const seen: string[] = [];
    const disk = Promise.withResolvers<void>();
    let busy = false;
    const sync = async () => {
      if (!busy) return;
      await disk.promise;
      seen.push('on the disk');
    };
    const bench = await open({ sync });
    busy = true;
    const completeReply = streamReply(recordedStreams.openai.join(''));
    upstream.replyWith(async (call, response) => {
      seen.push('asked');
      await completeReply(call, response);
      setImmediate(() => disk.resolve());
    });
    const response = await bench.post(path, { ...question, stream });
    seen.push('answered');
    expect(seen.slice(0, 2)).toEqual(['asked', 'on the disk']);
    expect(seen.at(-1)).toBe('answered');
    expect(await response.text()).toContain(stream ? '[DONE]' : '"finish_reason"');
    expect((await bench.onlyRequest()).status).toBe('succeeded');
  },
);

test('when the disk fails the client gets an error instead of an answer, and the upstream is aborted', async () => {
  let broken = false;
  const bench = await open({
    sync: async () => {
      if (broken) throw new Error('EIO');
    },
  });
  broken = true;
  upstream.replyWith(hangingReply(recordedStreams.openai.slice(0, 3).join('')));
  const response = await bench.post(path, question);
  expect(response.status).toBe(500);
  expect(errorBody.parse(await response.json()).error.code).toBe('internal_error');
  await upstream.calls[0]?.closed;
  expect(upstream.calls).toHaveLength(1);
});
