import { spawn } from 'node:child_process';
import { createParser } from 'eventsource-parser';
import type { CompletionChunk, CompletionResponse } from '#shared/wire/chat-response.ts';
import type { ErrorBody } from '#shared/wire/error.ts';
import { type Ask, asksAgainFor, type ClientAnswer, type ClientKind, type Connection, citySchema } from './client.ts';

class CurlFailure extends Error {
  readonly status: number | undefined;
  readonly code: string | undefined;
  constructor(status: number | undefined, code: string | undefined) {
    super(`curl saw status ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** The program `curl`, used as documentation shows it. */
export const curlClient: ClientKind = {
  name: 'curl',
  asks: asksAgainFor(),
  failure: (error) => (error instanceof CurlFailure ? error : { status: undefined, code: undefined }),
  open(connection) {
    const complete = async (ask: Ask, more: object = {}) =>
      JSON.parse(await curl(connection, '/chat/completions', ask, { ...getBody(ask), ...more })) as CompletionResponse;
    return {
      chat: async (ask) => toAnswer(await complete(ask)),
      async stream(ask, onText) {
        const reader = streamReader(onText);
        await curl(connection, '/chat/completions', ask, { ...getBody(ask), stream: true }, reader.feed);
        return reader.result();
      },
      async toolLoop(ask, weather) {
        const tools = [{ type: 'function', function: { name: 'weather', parameters: citySchema } }];
        const messages: object[] = [...getBody(ask).messages];
        for (;;) {
          const { choices } = await complete(ask, { messages, tools });
          const message = choices[0]?.message;
          if (!message?.tool_calls) return message?.content ?? '';
          messages.push(message);
          for (const call of message.tool_calls) {
            if (call.type !== 'function') throw new Error('no function was called');
            const { city } = JSON.parse(call.function.arguments) as { city: string };
            messages.push({ role: 'tool', tool_call_id: call.id, content: weather(city) });
          }
        }
      },
      async structured(ask) {
        const response_format = {
          type: 'json_schema',
          json_schema: { name: 'place', schema: citySchema, strict: true },
        };
        return JSON.parse(toAnswer(await complete(ask, { response_format })).text);
      },
      async models() {
        const list = JSON.parse(await curl(connection, '/models', null)) as { data: { id: string }[] };
        return list.data.map(({ id }) => id);
      },
    };
  },
};

const toAnswer = ({ choices, usage }: CompletionResponse): ClientAnswer => ({
  text: choices[0]?.message.content ?? '',
  totalTokens: usage.total_tokens,
});

const getBody = ({ model, prompt, image, temperature }: Ask) => ({
  model,
  temperature,
  messages: [
    {
      role: 'user',
      content: image
        ? [
            { type: 'text', text: prompt },
            { type: 'image_url', image_url: { url: image } },
          ]
        : prompt,
    },
  ],
});

function streamReader(onText: ((text: string) => void) | undefined) {
  let text = '';
  let totalTokens: number | undefined;
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as Partial<CompletionChunk & ErrorBody>;
      if (chunk.error) throw new CurlFailure(chunk.error.status_code, chunk.error.code);
      const piece = chunk.choices?.[0]?.delta.content ?? '';
      text += piece;
      if (piece) onText?.(piece);
      totalTokens = chunk.usage?.total_tokens ?? totalTokens;
    },
  });
  return { feed: (piece: string) => parser.feed(piece), result: (): ClientAnswer => ({ text, totalTokens }) };
}

const statusMark = '\ncurl-status:';

/** Runs the program once. It reads the body from its standard input. */
function curl(
  { baseUrl, key, sent }: Connection,
  path: string,
  ask: Ask | null,
  body?: object,
  onPiece: (text: string) => void = () => {},
): Promise<string> {
  sent();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...ask?.headers };
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const send = body ? ['--data-binary', '@-'] : [];
  const child = spawn('curl', [
    '-sSN',
    '-w',
    `${statusMark}%{http_code}`,
    ...headerArguments,
    ...send,
    `${baseUrl}${path}`,
  ]);
  return new Promise((resolve, reject) => {
    ask?.signal?.addEventListener('abort', () => {
      child.kill();
      reject(new Error('aborted'));
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      try {
        onPiece(piece.split(statusMark)[0] ?? '');
      } catch (error) {
        reject(error);
      }
    });
    child.once('error', reject);
    child.once('close', (exit) => {
      const [answer = '', status] = text.split(statusMark);
      if (exit !== 0) reject(new CurlFailure(undefined, `curl ${exit}`));
      else if (Number(status) < 300) resolve(answer);
      else reject(new CurlFailure(Number(status), (JSON.parse(answer) as ErrorBody).error.code));
    });
    // A server that answers before it has read everything closes its side.
    child.stdin.on('error', () => {});
    child.stdin.end(body ? JSON.stringify(body) : '');
  });
}
