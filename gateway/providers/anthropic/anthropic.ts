import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { type Effort, effortOrder } from '../../models/catalogue/model-facts.ts';
import { upstreamBody } from '../changed-request.ts';
import type { ListedModel, Provider, ProviderContext } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { createMessageReader } from './message-events.ts';
import { bindingHeaders } from './thinking.ts';

const id = 'anthropic';
const apiVersion = '2023-06-01';
/**
 * Anthropic's own SDKs refuse to wait for an answer that may take longer than ten minutes, at 128,000 tokens an hour
 * (`calculateNonstreamingTimeout` in anthropic-sdk-typescript, read 2026-11-22).
 */
const wholeAnswerTokens = Math.floor(128_000 / 6);

/** Anthropic's Messages API. Its base URL is an origin. */
export function createAnthropic(): Provider {
  return {
    id,
    name: 'Anthropic',
    needsMaxTokens: true,
    signsReasoning: true,
    fetchesImages: true,
    wholeAnswerTokens,
    async chat(request, context, take) {
      const body = await upstreamBody(request, { kind: 'messages' });
      const call = callFor(context, '/v1/messages');
      const headers = { ...call.headers, ...bindingHeaders(request) };
      const response = await upstreamFetch({ ...call, headers, body });
      await answerEvents(response, id, createMessageReader(request.model), context, take);
    },
    async models(context) {
      const response = await upstreamFetch(callFor(context, '/v1/models?limit=1000'));
      return asArray(asObject(await readJson(response, id)).data).flatMap(listed);
    },
  };
}

function callFor({ credential, fetch, signal }: ProviderContext, path: string) {
  const key = credential.apiKey ? { 'x-api-key': credential.apiKey.reveal() } : {};
  return {
    provider: id,
    url: `${credential.baseUrl.replace(/\/+$/, '')}${path}`,
    headers: { ...key, 'anthropic-version': apiVersion },
    fetch,
    signal,
  };
}

function listed(value: unknown): ListedModel[] {
  const entry = asObject(value);
  const model = asText(entry.id);
  if (!model) return [];
  const at = Date.parse(asText(entry.created_at) ?? '');
  const capabilities = asObject(entry.capabilities);
  return [
    {
      model,
      name: asText(entry.display_name),
      created: Number.isFinite(at) ? Math.floor(at / 1_000) : null,
      contextLength: positive(entry.max_input_tokens),
      maxOutputTokens: positive(entry.max_tokens),
      inputs: getInputs(capabilities),
      efforts: getEfforts(asObject(capabilities.effort)),
    },
  ];
}

/** Anthropic writes 0 where it does not know a limit. */
const positive = (value: unknown): number | null => asCount(value) || null;

const isSupported = (value: unknown): boolean | null => {
  const { supported } = asObject(value);
  return typeof supported === 'boolean' ? supported : null;
};

function getInputs(capabilities: JsonObject): string[] | null {
  const [sees, reads] = [isSupported(capabilities.image_input), isSupported(capabilities.pdf_input)];
  if (sees === null && reads === null) return null;
  return ['text', ...(sees ? ['image'] : []), ...(reads ? ['file'] : [])];
}

function getEfforts(effort: JsonObject): Effort[] | null {
  if (isSupported(effort) !== true) return null;
  const levels = effortOrder.filter((level) => isSupported(effort[level]) === true);
  return levels.length > 0 ? levels : null;
}
