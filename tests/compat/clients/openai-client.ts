import OpenAI from 'openai';
import { type Ask, asksAgainFor, type ClientAnswer, type ClientKind, type Connection, citySchema } from './client.ts';

/** The official `openai` package. */
export const openaiClient: ClientKind = {
  name: 'openai',
  asks: asksAgainFor(408, 409, 429, 500, 502, 503),
  failure(error) {
    const { status, code } = error as { status?: number; code?: string };
    return { status, code };
  },
  open(connection) {
    const client = getClient(connection);
    return {
      chat: async (ask) => toAnswer(await client.chat.completions.create(getBody(ask), getOptions(ask))),
      async stream(ask, onText) {
        const stream = await client.chat.completions.create({ ...getBody(ask), stream: true }, getOptions(ask));
        let text = '';
        let totalTokens: number | undefined;
        for await (const chunk of stream) {
          const piece = chunk.choices[0]?.delta.content ?? '';
          text += piece;
          if (piece) onText?.(piece);
          totalTokens = chunk.usage?.total_tokens ?? totalTokens;
        }
        return { text, totalTokens };
      },
      async toolLoop(ask, weather) {
        const runner = client.chat.completions.runTools({ ...getBody(ask), tools: [weatherTool(weather)] });
        return (await runner.finalContent()) ?? '';
      },
      async structured(ask) {
        const json_schema = { name: 'place', schema: citySchema, strict: true };
        const answer = await client.chat.completions.parse({
          ...getBody(ask),
          response_format: { type: 'json_schema', json_schema },
        });
        return answer.choices[0]?.message.parsed ?? JSON.parse(answer.choices[0]?.message.content ?? '');
      },
      async models() {
        const ids: string[] = [];
        for await (const model of client.models.list()) ids.push(model.id);
        expectSame((await client.models.retrieve(ids[1] ?? '')).id, ids[1]);
        return ids;
      },
    };
  },
};

export const getClient = ({ baseUrl, key, fetch }: Connection): OpenAI =>
  new OpenAI({ baseURL: baseUrl, apiKey: key, fetch });

const getOptions = ({ headers, signal }: Ask): OpenAI.RequestOptions => ({
  ...(headers ? { headers: { ...headers } } : {}),
  ...(signal ? { signal } : {}),
});

const getBody = ({ model, prompt, image, temperature }: Ask) => ({
  model,
  ...(temperature === undefined ? {} : { temperature }),
  messages: [
    {
      role: 'user' as const,
      content: image
        ? [
            { type: 'text' as const, text: prompt },
            { type: 'image_url' as const, image_url: { url: image } },
          ]
        : prompt,
    },
  ],
});

const toAnswer = ({ choices, usage }: OpenAI.ChatCompletion): ClientAnswer => ({
  text: choices[0]?.message.content ?? '',
  totalTokens: usage?.total_tokens,
});

const weatherTool = (weather: (city: string) => string) => ({
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'weather of a city',
    parameters: { ...citySchema, required: [...citySchema.required] },
    parse: JSON.parse,
    function: ({ city }: { city: string }) => weather(city),
  },
});

function expectSame(received: string, sent: string | undefined): void {
  if (received !== sent) throw new Error(`asked for the model ${sent}, got ${received}`);
}
