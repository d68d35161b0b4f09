import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  Output,
  RetryError,
  streamText,
  tool,
} from 'ai';
import { type Ask, asksAgainFor, type Client, type ClientKind, type Connection, citySchema } from './client.ts';

/**
 * The Vercel AI SDK with each of its two providers for Chat Completions, and with its provider for the Responses API.
 */
export const aiSdkCompatible = aiSdk('ai + @ai-sdk/openai-compatible', ({ baseUrl, key, fetch }) =>
  createOpenAICompatible({
    name: 'portico',
    baseURL: baseUrl,
    apiKey: key,
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
  }),
);

export const aiSdkOpenai = aiSdk(
  'ai + @ai-sdk/openai .chat',
  ({ baseUrl, key, fetch }) => createOpenAI({ baseURL: baseUrl, apiKey: key, fetch }).chat,
);

/** The client of a user who forgets `.chat`. It uses the Responses API. */
export const aiSdkBare = aiSdk('ai + @ai-sdk/openai', ({ baseUrl, key, fetch }) =>
  createOpenAI({ baseURL: baseUrl, apiKey: key, fetch }),
);

function aiSdk(name: string, getProvider: (connection: Connection) => (model: string) => LanguageModel): ClientKind {
  return {
    name,
    // The SDK doesn't know `x-should-retry`, so it sends a request that got a 504 three times as well.
    asks: asksAgainFor(408, 409, 429, 500, 502, 503, 504),
    failure(error) {
      const call = RetryError.isInstance(error) ? error.lastError : error;
      if (!APICallError.isInstance(call)) return { status: undefined, code: undefined };
      const body = JSON.parse(call.responseBody ?? '{}') as { error?: { code?: string } };
      return { status: call.statusCode, code: body.error?.code };
    },
    open: (connection) => getClient(getProvider(connection)),
  };
}

function getClient(getModel: (name: string) => LanguageModel): Client {
  const call = (ask: Ask) => ({
    model: getModel(ask.model),
    messages: [{ role: 'user' as const, content: getContent(ask) }],
    ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
    ...(ask.headers ? { headers: { ...ask.headers } } : {}),
    ...(ask.signal ? { abortSignal: ask.signal } : {}),
  });
  return {
    async chat(ask) {
      const { text, usage } = await generateText(call(ask));
      return { text, totalTokens: usage.totalTokens };
    },
    async stream(ask, onText) {
      const result = streamText({ ...call(ask), onError: () => {} });
      let text = '';
      let totalTokens: number | undefined;
      for await (const part of result.stream) {
        if (part.type === 'error') throw part.error;
        if (part.type === 'abort') throw new Error('aborted');
        if (part.type === 'finish') totalTokens = part.totalUsage.totalTokens;
        if (part.type !== 'text-delta') continue;
        text += part.text;
        onText?.(part.text);
      }
      return { text, totalTokens };
    },
    async toolLoop(ask, weather) {
      const tools = {
        weather: tool({
          description: 'weather of a city',
          inputSchema: jsonSchema<{ city: string }>(citySchema),
          execute: async ({ city }) => weather(city),
        }),
      };
      return (await generateText({ ...call(ask), tools, stopWhen: isStepCount(4) })).text;
    },
    async structured(ask) {
      const output = Output.object({ name: 'place', schema: jsonSchema(citySchema) });
      return (await generateText({ ...call(ask), output })).output;
    },
    models: null,
  };
}

function getContent({ prompt, image }: Ask) {
  if (!image) return prompt;
  const [, mediaType = '', data = ''] = /^data:([^;]+);base64,(.*)$/.exec(image) ?? [];
  return [
    { type: 'text' as const, text: prompt },
    { type: 'file' as const, data, mediaType },
  ];
}
