import { expect, test } from 'vitest';
import { streamEvents } from './stream-events.ts';

const answer = (body: string | null, type: string) => new Response(body, { headers: { 'content-type': type } });
async function all(response: Response, tolerant = false): Promise<string[]> {
  const events: string[] = [];
  for await (const event of streamEvents(response, { tolerant })) events.push(event);
  return events;
}

test('the data of every event is returned until the end mark of the stream', async () => {
  expect(await all(answer('data: 1\n\n: still here\n\ndata: 2\n\ndata: [DONE]\n\n', 'text/event-stream'))).toEqual([
    ...['1', '2'],
  ]);
});

test.each<[string, string | null, string, string]>([
  ['a page', '<html>', 'text/html', 'not_a_gateway'],
  ['no body', null, 'text/event-stream', 'not_a_gateway'],
  ['a stream without an end mark', 'data: 1\n\n', 'text/event-stream', 'truncated'],
])('an incomplete or missing stream is an error: %s', async (_what, body, type, code) => {
  await expect(all(answer(body, type))).rejects.toMatchObject({ code });
});

test('an event without an end is an answer that was cut off', async () => {
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${'x'.repeat(1_000_000)}\n`)),
  });
  const response = new Response(endless, { headers: { 'content-type': 'text/event-stream' } });
  await expect(all(response)).rejects.toMatchObject({ code: 'truncated' });
});

test('fields that the specification does not know are passed over', async () => {
  expect(await all(answer('cost: 5\ndata: 1\n\ndata: [DONE]\n\n', 'text/event-stream'))).toEqual(['1']);
});

test('a JSON line longer than the limit is refused even if the stream ends there', async () => {
  const line = `"${'x'.repeat(33_554_432)}`;
  await expect(all(answer(line, 'application/x-ndjson'), true)).rejects.toMatchObject({ code: 'truncated' });
});

test('a JSON line longer than the limit is refused before its end arrives', async () => {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of ['x'.repeat(33_554_433), '\n']) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const response = new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
  const events = streamEvents(response, { tolerant: true });
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'truncated' });
});
