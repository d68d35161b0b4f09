import { describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { getCost } from '#shared/price.ts';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { tokensOfBytes } from '../content/estimate-tokens.ts';
import type { ProviderEvent, ProviderRequest } from '../provider.ts';
import { createSandbox, sandboxModels } from '../registry.ts';
import { platformFetch } from '../upstream/upstream-response.ts';
import { getExample } from './tools-script.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content, name: undefined });

async function ask(model: string, question: string, more: Partial<ProviderRequest> = {}, pace = 0) {
  const request = { model, messages: [user(question)], maxTokens: null, openaiOnly: {}, parameters: {}, ...more };
  const context = {
    credential: { apiKey: null, baseUrl: '' },
    fetch: platformFetch(fetch),
    signal: new AbortController().signal,
  };
  const events: ProviderEvent[] = [];
  await createSandbox({ pace }).chat(request, context, (together) => void events.push(...together));
  const finish = events.at(-1);
  return {
    events,
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    usage: events.findLast((event) => event.type === 'usage')?.usage,
    finish: finish?.type === 'finish' ? finish.reason : null,
  };
}

describe('the tour', () => {
  test.each([
    ['hello', 'Hello!'],
    ['Where do you keep my API keys?', '## Your keys'],
    ['what does it cost?', '## Prices'],
    ['show me the ledger and my balance', '## The ledger'],
    ['how does the router choose?', '## The router'],
    ['keyboard shortcuts please', '## Keyboard'],
    ['can I use curl?', '## The gateway'],
    ['are you simulated?', '## The sandbox'],
    ['Erzähl mir etwas', '## Welcome'],
    ['', '## Welcome'],
  ])('the tour answers %j with %s', async (question, beginning) => {
    expect((await ask('tour', question)).text.startsWith(beginning)).toBe(true);
  });

  test('the tour shows code, a table and a list on every page but the greeting', async () => {
    for (const question of ['keys', 'price', 'ledger', 'router', 'shortcuts', 'curl', 'sandbox', 'privacy', 'tour']) {
      const { text } = await ask('tour', question);
      expect(text, question).toMatch(/^```\w+\n[\s\S]+?\n```$/m);
      expect(text, question).toMatch(/^\|[-:|]+\|$/m);
      expect(text, question).toMatch(/^(- |1\. )/m);
    }
  });

  test('the tour costs between a hundredth and a tenth of a cent of test credits', async () => {
    const price = sandboxModels[0]?.price;
    const { usage } = await ask('tour', 'keys');
    if (!price || !usage) throw new Error('the tour has no price');
    expect(getCost(price, usage)).toBeGreaterThan(100_000n);
    expect(getCost(price, usage)).toBeLessThan(2_000_000n);
  });

  test('the tour gives the same answer every time', async () => {
    expect(await ask('tour', 'keys')).toEqual(await ask('tour', 'keys'));
  });
});

describe("the sandbox's limits", () => {
  const long = 'wörd '.repeat(200);

  test.each([1, 2, 7, 50])('an answer stays within %i tokens, and its finish reason is length', async (maxTokens) => {
    const { text, finish, usage } = await ask('echo', long, { maxTokens });
    expect(tokensOfBytes(Buffer.byteLength(text))).toBeLessThanOrEqual(maxTokens);
    expect(long.startsWith(text)).toBe(true);
    expect([finish, (usage?.completionTokens ?? 0) <= maxTokens]).toEqual(['length', true]);
  });

  test('an answer that just fits is complete', async () => {
    const maxTokens = tokensOfBytes(Buffer.byteLength(long));
    expect(await ask('echo', long, { maxTokens })).toMatchObject({ text: long, finish: 'stop' });
  });

  test('reasoning counts towards the token limit', async () => {
    const { events, finish } = await ask('reasoner', 'why?', { maxTokens: 5 });
    expect(finish).toBe('length');
    expect(events.some((event) => event.type === 'text-delta')).toBe(false);
  });

  test('the answer ends before the first stop text', async () => {
    const { text, finish } = await ask('echo', 'one two three four', { parameters: { stop: ['four', 'three'] } });
    expect([text, finish]).toEqual(['one two ', 'stop']);
  });
});

describe("the sandbox's faults", () => {
  const answered: ChatMessage = {
    role: 'assistant',
    content: 'x',
    tool_calls: undefined,
    reasoning: undefined,
    reasoning_content: undefined,
    reasoning_details: undefined,
    images: undefined,
  };

  test('flaky refuses odd turns and answers even ones', async () => {
    await expect(ask('flaky', 'a')).rejects.toMatchObject({ code: 'upstream_overloaded' });
    const messages = [user('a'), answered, user('b')];
    expect((await ask('flaky', '', { messages })).text).toContain('turn 2');
  });

  test('flaky aborts its answer in the middle when the question asks for it', async () => {
    await expect(ask('flaky', 'please cut')).rejects.toMatchObject({ code: 'upstream_truncated' });
  });

  test('an abort ends a slow answer at once', async () => {
    const abort = new AbortController();
    const reason = new AppError('client_closed_request', 'gone');
    const request = { model: 'slow', messages: [user('x')], maxTokens: null, openaiOnly: {}, parameters: {} };
    const context = { credential: { apiKey: null, baseUrl: '' }, fetch: platformFetch(fetch), signal: abort.signal };
    const reading = createSandbox({ pace: 1_000 }).chat(request, context, () => undefined);
    abort.abort(reason);
    await expect(reading).rejects.toSatisfy((error: Error) => error === reason || error.cause === reason);
  });
});

test('an unknown sandbox model is an error, not an answer of another model', async () => {
  await expect(ask('nothing', 'hi')).rejects.toMatchObject({ code: 'upstream_error', provider: 'sandbox' });
});

test('a pause of zero still lets the event loop run', async () => {
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  await ask('slow', 'x');
  expect(turned).toBe(true);
});

describe('a made-up value for a schema', () => {
  test.each([
    [{ type: 'string', enum: ['a', 'b'] }, 'a'],
    [{ type: ['integer', 'null'], minimum: 3 }, 3],
    [{ type: 'array', items: { type: 'boolean' } }, [true]],
    [{ anyOf: [{ const: 7 }, {}] }, 7],
    [{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'null' } }, required: ['a'] }, { a: 'q' }],
    [{}, {}],
  ])('the made-up value for %j is %j', (schema, value) => {
    expect(getExample(schema, 'q')).toEqual(value);
  });

  test('the made-up value for a schema that contains itself has an end', () => {
    const schema: Record<string, unknown> = { type: 'object', required: ['next'] };
    schema.properties = { next: schema };
    expect(JSON.stringify(getExample(schema, 'q')).length).toBeLessThan(200);
  });
});

describe('the model sandbox/tools', () => {
  const tool = (name: string) => ({
    type: 'function' as const,
    function: {
      name,
      description: undefined,
      strict: undefined,
      parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
    },
  });
  const tools = [tool('files__look_up'), tool('calculator')];
  const callIn = ({ events }: Awaited<ReturnType<typeof ask>>) => [
    events.map((event) => (event.type === 'tool-call-start' ? event.name : '')).join(''),
    events.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join(''),
  ];

  test('sandbox/tools works out one sum after another, then reports the results', async () => {
    const messages: ChatMessage[] = [user('What is (2 + 3) * 4, and what is 10/4?')];
    for (const expression of ['(2 + 3) * 4', '10/4']) {
      const answer = await ask('tools', '', { messages, parameters: { tools } });
      expect([...callIn(answer), answer.finish]).toEqual(['calculator', JSON.stringify({ expression }), 'tool_calls']);
      messages.push({ role: 'tool', tool_call_id: 'x', content: `= ${expression}` });
    }
    const { text, finish } = await ask('tools', '', { messages, parameters: { tools } });
    expect([finish, text]).toEqual(['stop', expect.stringMatching(/= \(2 \+ 3\) \* 4[\s\S]*= 10\/4/)]);
  });

  test('sandbox/tools calls the tool that the question names, or the first tool when there is no sum', async () => {
    expect(callIn(await ask('tools', 'Look up 2+2', { parameters: { tools } }))[0]).toBe('files__look_up');
    expect(callIn(await ask('tools', 'In 2026', { parameters: { tools } }))[0]).toBe('files__look_up');
  });
});
