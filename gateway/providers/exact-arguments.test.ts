import { describe, expect, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { Secret } from '../access/auth/secret.ts';

/** A whole number beyond 2^53 in a tool call must arrive digit for digit, whoever writes it and whoever reads it. */

const id = '2512292042121000001';
const args = `{"id":${id},"list":[{"deep":-${id}}]}`;
const long = `{"id":${id},"text":"${'x'.repeat(150_000)}"}`;
const own = 'near/model';
const models = { anthropic: 'anthropic/claude-sonnet-4-5', google: 'google/gemini-2.5-flash', near: own };

const events = (lines: readonly string[], named = false) => {
  const text = lines.map((line) => `${named ? `event: ${JSON.parse(line).type}\n` : ''}data: ${line}\n\n`);
  return new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } });
};
const json = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } });

const anthropicUsage = '"usage":{"input_tokens":5,"output_tokens":5}';
function fromAnthropic(stream: boolean, input: string): Response {
  const block = (value: string) => `{"type":"tool_use","id":"toolu_1","name":"find","input":${value}}`;
  const message = `"id":"msg_1","type":"message","role":"assistant","model":"m",${anthropicUsage}`;
  if (!stream) return json(`{${message},"content":[${block(input)}],"stop_reason":"tool_use"}`);
  return events(
    [
      `{"type":"message_start","message":{${message},"content":[]}}`,
      `{"type":"content_block_start","index":0,"content_block":${block(input)}}`,
      '{"type":"content_block_stop","index":0}',
      `{"type":"message_delta","delta":{"stop_reason":"tool_use"},${anthropicUsage}}`,
      '{"type":"message_stop"}',
    ],
    true,
  );
}

function fromGoogle(stream: boolean, input: string): Response {
  const answer = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find","args":${input}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":5}}`;
  return stream ? events([answer]) : json(answer);
}

/** An own server that sends the arguments as an object, such as llama.cpp's. */
function fromServer(stream: boolean, input: string): Response {
  const call = `{"index":0,"id":"call_1","function":{"name":"find","arguments":${input}}}`;
  const answer = (name: string) =>
    `{"id":"c","choices":[{"index":0,"${name}":{"tool_calls":[${call}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":5}}`;
  return stream ? events([answer('delta'), '[DONE]']) : json(answer('message'));
}

async function open(input: string) {
  const sent: string[] = [];
  const opened = await openTestGateway({
    plan: 'local',
    providers: {
      anthropic: { apiKey: new Secret('k'), baseUrl: 'https://anthropic.example' },
      google: { apiKey: new Secret('k'), baseUrl: 'https://google.example' },
      near: {
        apiKey: null,
        baseUrl: 'http://127.0.0.1:9/v1',
        server: { name: 'Near', kind: 'openai-compatible', apiVersion: null },
        models: [{ model: 'model', sameAs: null, price: null }],
      },
    },
    fetch: async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
      if (init?.method !== 'POST') return json('{"data":[]}');
      const body = Buffer.from(typeof init.body === 'string' ? init.body : (init.body as Uint8Array)).toString();
      sent.push(body);
      const path = String(url);
      const stream = path.includes('streamGenerate') || /"stream":true/.test(body);
      if (path.includes('anthropic.example')) return fromAnthropic(stream, input);
      return path.includes('google.example') ? fromGoogle(stream, input) : fromServer(stream, input);
    },
  });
  return { ...opened, sent };
}

const parameters = { type: 'object', properties: { id: { type: 'integer', maximum: 2 ** 63 } } };

describe.each(Object.entries(models))('%s', (_vendor, model) => {
  describe.each([false, true])('streamed: %s', (stream) => {
    test.each([args, long])('arguments of an answer keep their digits on each API', async (given) => {
      const { post } = await open(given);
      const text = async (path: string, body: object) => (await post(path, { model, stream, ...body })).text();
      const quoted = JSON.stringify(given).slice(1, -1);
      const chat = await text('/v1/chat/completions', {
        tools: [{ type: 'function', function: { name: 'find', parameters } }],
        messages: [{ role: 'user', content: 'Find it.' }],
      });
      const responses = await text('/v1/responses', {
        tools: [{ type: 'function', name: 'find', parameters }],
        input: 'Find it.',
      });
      const message = await text('/v1/messages', {
        max_tokens: 100,
        tools: [{ name: 'find', input_schema: parameters }],
        messages: [{ role: 'user', content: 'Find it.' }],
      });
      // A long text leaves in several pieces.
      const begin = quoted.slice(0, 60);
      expect(chat).toContain(begin);
      expect(responses).toContain(begin);
      expect(message).toContain(stream ? begin : given);
    });
  });

  test.each([args, long])('arguments of earlier calls keep their digits on their way back', async (given) => {
    const { call, sent } = await open(args);
    const headers = { 'content-type': 'application/json' };
    const ask = (path: string, body: string) => call(path, { method: 'POST', headers, body });
    const text = JSON.stringify(given);
    await ask(
      '/v1/chat/completions',
      `{"model":"${model}","messages":[{"role":"user","content":"Find it."},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${text}}}]},{"role":"tool","tool_call_id":"call_1","content":"{\\"found\\":${id}}"}]}`,
    );
    await ask(
      '/v1/messages',
      `{"model":"${model}","max_tokens":100,"messages":[{"role":"user","content":"Find it."},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"find","input":${given}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"{\\"found\\":${id}}"}]}]}`,
    );
    expect(sent).toHaveLength(2);
    for (const body of sent) {
      const isText = model === own;
      expect(body).toContain(isText ? text.slice(1, -1) : given);
      expect(body).toContain(isText || model === models.anthropic ? `\\"found\\":${id}` : `"found":${id}`);
    }
  });
});
