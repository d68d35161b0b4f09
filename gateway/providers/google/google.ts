import { asArray, asCount, asObject, asText } from '#shared/json/foreign-json.ts';
import { upstreamBody } from '../changed-request.ts';
import { getMaxEvent } from '../content/made-images.ts';
import { readEmbeddings } from '../embedding.ts';
import type { ListedModel, Provider, ProviderContext } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { createGenerateReader } from './generate-events.ts';

const id = 'google';

/** Google's Gemini API. Its base URL is an origin. It fetches no addresses. */
export function createGoogle(): Provider {
  return {
    id,
    name: 'Google',
    signsReasoning: true,
    wholeAnswerTokens: Number.POSITIVE_INFINITY,
    counts: 'along',
    async chat(request, context, take) {
      const method = request.whole ? 'generateContent' : 'streamGenerateContent?alt=sse';
      const path = `/v1beta/models/${encodeURIComponent(request.model)}:${method}`;
      const body = await upstreamBody(request, { kind: 'generate' });
      const response = await upstreamFetch({ ...callFor(context, path), body });
      const reader = createGenerateReader(request.facts?.webSearch?.charged, getMaxEvent(request));
      await answerEvents(response, id, reader, context, take);
    },
    async embed(request, context) {
      const { inputs, dimensions } = request;
      const model = `models/${request.model}`;
      const size = dimensions === null ? {} : { outputDimensionality: dimensions };
      const requests = inputs.map((text) => ({ model, content: { parts: [{ text }] }, ...size }));
      const path = `/v1beta/models/${encodeURIComponent(request.model)}:batchEmbedContents`;
      return readEmbeddings(
        await upstreamFetch({ ...callFor(context, path), body: { requests } }),
        id,
        request,
        'google',
      );
    },
    async models(context) {
      const response = await upstreamFetch(callFor(context, '/v1beta/models?pageSize=1000'));
      return asArray(asObject(await readJson(response, id)).models).flatMap(listed);
    },
  };
}

/** The key goes into a header, never into the address. */
function callFor({ credential, fetch, signal }: ProviderContext, path: string) {
  const headers: Record<string, string> = credential.apiKey ? { 'x-goog-api-key': credential.apiKey.reveal() } : {};
  return { provider: id, url: `${credential.baseUrl.replace(/\/+$/, '')}${path}`, headers, fetch, signal };
}

function listed(value: unknown): ListedModel[] {
  const entry = asObject(value);
  const name = asText(entry.name);
  const methods = entry.supportedGenerationMethods;
  if (!name || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
  return [
    {
      model: name.replace(/^models\//, ''),
      name: asText(entry.displayName),
      created: null,
      contextLength: asCount(entry.inputTokenLimit),
      maxOutputTokens: asCount(entry.outputTokenLimit),
    },
  ];
}
