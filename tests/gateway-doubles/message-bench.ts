import type { TestGatewayOptions } from './open-test-gateway.ts';
import { openThreeVendors } from './three-vendors.ts';

/** Opens a gateway in front of the three vendors that is called as Anthropic's clients call it. */
export async function openForMessages(options: TestGatewayOptions = {}) {
  const { call: ask, key, calls, spent } = await openThreeVendors(options);
  const post = (path: string, body: object, headers: Record<string, string> = {}) => {
    const own = { 'content-type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    return ask(path, { method: 'POST', key: null, headers: { ...own, ...headers }, body: JSON.stringify(body) });
  };
  return {
    ask,
    key,
    post,
    calls,
    spent,
    send: (body: object, headers: Record<string, string> = {}) =>
      post('/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 6_000, messages: [user('hi')], ...body }, headers),
  };
}

export const user = (content: unknown) => ({ role: 'user', content });

export interface Event {
  readonly type: string;
  readonly index: number;
  readonly content_block: Record<string, unknown>;
  readonly delta: Record<string, unknown>;
  readonly usage: { cost_usd: string };
}

/** Parses the events of a stream. Expects that each event's name equals its type. */
export function getEvents(stream: string): Event[] {
  return stream
    .trim()
    .split('\n\n')
    .map((event) => {
      const [name = '', data = ''] = event.split('\n');
      const value = JSON.parse(data.slice('data: '.length)) as Event;
      if (name !== `event: ${value.type}`) throw new Error(`${name} names an event of the type ${value.type}`);
      return value;
    });
}

/** Assembles the content blocks of a stream as a client does. */
export function getBlocks(events: readonly Event[]): object[] {
  const blocks: Record<string, unknown>[] = [];
  const json: string[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start') blocks[index] = { ...block };
    const open = blocks[index];
    if (!open || type !== 'content_block_delta') continue;
    for (const name of ['text', 'thinking', 'signature']) {
      if (typeof delta[name] === 'string') open[name] = `${open[name] ?? ''}${delta[name]}`;
    }
    if (delta.type === 'citations_delta') {
      open.citations = [...((open.citations ?? []) as object[]), delta.citation as object];
    }
    if (delta.type === 'input_json_delta') json[index] = `${json[index] ?? ''}${delta.partial_json}`;
  }
  return blocks.map((block, index) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json[index] ?? '{}') } : block,
  );
}
