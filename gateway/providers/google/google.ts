import { ulid } from 'ulid';
import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, asText, hasCountsOnly, type JsonObject } from '#shared/json/foreign-json.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import type { WebSearch } from '../../models/catalogue/model-facts.ts';
import { parseEvent } from '../../runtime/json/parse-json.ts';
import { upstreamBody } from '../changed-request.ts';
import { citations } from '../content/citations.ts';
import { getMaxEvent, imageOfInlineData } from '../content/made-images.ts';
import { googleFormat } from '../content/reasoning-details.ts';
import { readEmbeddings } from '../embedding.ts';
import type { ListedModel, Provider, ProviderContext, ProviderEvent } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { readFault, upstreamError } from '../upstream/upstream-error.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';

/** Reads the events of one streamed answer. */
interface GenerateReader {
  read(data: string): ProviderEvent[];
  /** Reads a non-streaming answer. */
  readWhole(answer: JsonObject): ProviderEvent[];
  /** Returns the finish event, but only if Google gave a reason for the end. */
  end(): ProviderEvent[];
  readonly maxEvent: number | undefined;
}

const provider = 'google';

/**
 * `charged`: whether Google charges for each search or for each request with a search. `maxEvent`: set if an event may
 * be longer than usual.
 */
export function createGenerateReader(charged: WebSearch['charged'] = 'searches', maxEvent?: number): GenerateReader {
  let started = false;
  let calls = 0;
  let hasContent = false;
  let finish: FinishReason | null = null;
  /** The text so far, and the number of searches reported so far. */
  let text = '';
  let searches = 0;
  /** Number of pieces whose sources were reported. An event may repeat all of them. */
  let cited = 0;

  function partEvents(value: unknown): ProviderEvent[] {
    const part = asObject(value);
    const piece = asText(part.text);
    if (piece && part.thought === true) {
      const detail = { type: 'reasoning.text', text: piece, format: googleFormat, index: 0 };
      return [{ type: 'reasoning-delta', text: piece, details: [detail] }];
    }
    if (piece) {
      text += piece;
      return [{ type: 'text-delta', text: piece }];
    }
    // Gemini 3 makes draft images while it thinks. They aren't part of the answer and aren't charged as images.
    if (part.inlineData) return part.thought === true ? [] : imageOfInlineData(part.inlineData);
    return part.functionCall ? callEvents(asObject(part.functionCall), asText(part.thoughtSignature)) : [];
  }

  /**
   * Google sends a call in one piece, often without an id, and with an opaque signature that must be sent back (§1.6).
   */
  function callEvents(call: JsonObject, signature: string | null): ProviderEvent[] {
    const index = calls;
    calls += 1;
    const id = asText(call.id) || `call_${ulid()}`;
    return [
      ...(signature ? [getSignature(id, signature, index)] : []),
      {
        type: 'tool-call-start',
        index,
        id,
        name: asText(call.name) ?? '',
        ...(signature ? { extraContent: { google: { thought_signature: signature } } } : {}),
      },
      { type: 'tool-call-delta', index, arguments: JSON.stringify(asObject(call.args)) },
    ];
  }

  function readEvent(event: JsonObject): ProviderEvent[] {
    if (event.error) throw upstreamError(readFault(event, provider, null));
    const candidate = asObject(asArray(event.candidates)[0]);
    const begin: ProviderEvent[] = started ? [] : [{ type: 'start' }];
    started = true;
    const content = asArray(asObject(candidate.content).parts).flatMap(partEvents);
    hasContent ||= content.length > 0;
    const reason = asText(candidate.finishReason);
    if (reason) finish = finishReason(reason, { hasContent, calls: calls > 0 });
    else if (asText(asObject(event.promptFeedback).blockReason)) finish = 'content_filter';
    const found = groundingEvents(asObject(candidate.groundingMetadata));
    return [...begin, ...content, ...found, ...usageEvent(event.usageMetadata, searches)];
  }

  /** Reports Google's searches and the web pages that the text so far cites. Google sends them after the text. */
  function groundingEvents(metadata: JsonObject): ProviderEvent[] {
    const queries = asArray(metadata.webSearchQueries).length;
    const counted = charged === 'requests' ? Math.min(queries, 1) : queries;
    const more = Math.max(0, counted - searches);
    searches += more;
    const from = cited;
    cited = Math.max(cited, asArray(metadata.groundingSupports).length);
    const found = groundedPieces(metadata, text, from);
    return [...Array.from({ length: more }, () => ({ type: 'search' as const })), ...found];
  }

  const end = (): ProviderEvent[] => (finish ? [{ type: 'finish', reason: finish }] : []);

  return {
    maxEvent,
    read: (data) => readEvent(parseEvent(data, provider)),
    readWhole: (answer) => [...readEvent(answer), ...end()],
    end,
  };
}

/** Returns the citations of each piece of the text. Google counts positions in bytes of UTF-8. */
function groundedPieces(metadata: JsonObject, text: string, first: number): ProviderEvent[] {
  const pages = asArray(metadata.groundingChunks).map((chunk) => {
    const { uri, title } = asObject(asObject(chunk).web);
    return { url: uri, title };
  });
  if (pages.length === 0) return [];
  const bytes = Buffer.from(text);
  const place = (value: unknown) => bytes.toString('utf8', 0, asCount(value) ?? 0).length;
  return asArray(metadata.groundingSupports)
    .slice(first)
    .map(asObject)
    .map(({ segment, groundingChunkIndices: indices }) => {
      const { startIndex, endIndex } = asObject(segment);
      const named = asArray(indices).flatMap((index) => pages[asCount(index) ?? -1] ?? []);
      return citations(named, place(startIndex), place(endIndex));
    })
    .filter(({ annotations }) => annotations.length > 0);
}

/** Reports the signature of a call under the call's id. */
const getSignature = (id: string, data: string, index: number): ProviderEvent => ({
  type: 'reasoning-delta',
  text: '',
  details: [{ type: 'reasoning.encrypted', data, id, format: googleFormat, index }],
});

const filtered = new Set([
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'],
]);
/** With these reasons the text isn't a usable answer, however much there is of it. */
const malformed = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'MISSING_THOUGHT_SIGNATURE'],
  ...['NO_IMAGE', 'IMAGE_OTHER'],
]);

interface AnswerSoFar {
  readonly hasContent: boolean;
  readonly calls: boolean;
}

/**
 * Maps Google's reasons for the end of an answer. An abnormal reason (`OTHER`, `TOO_MANY_TOOL_CALLS`) counts as an end
 * if the answer has content. Otherwise the answer has failed.
 */
function finishReason(reason: string, { hasContent, calls }: AnswerSoFar): FinishReason {
  if (filtered.has(reason)) return 'content_filter';
  if (reason === 'MAX_TOKENS') return 'length';
  if (malformed.has(reason) || (reason !== 'STOP' && !hasContent)) {
    throw new AppError('upstream_bad_response', `Google ended the answer with ${reason}.`, { provider });
  }
  return calls ? 'tool_calls' : 'stop';
}

const counts = ['toolUsePromptTokenCount', 'thoughtsTokenCount', 'candidatesTokenCount'];

/**
 * Google reports its usage so far with each event. Thoughts count as output, and what tools add to the prompt counts as
 * input (wire contract §1.7).
 */
function usageEvent(value: unknown, searches: number): ProviderEvent[] {
  const usage = asObject(value);
  const prompt = asCount(usage.promptTokenCount);
  if (prompt === null || !hasCountsOnly(usage, counts)) return [];
  const promptTokens = prompt + (asCount(usage.toolUsePromptTokenCount) ?? 0);
  const reasoningTokens = asCount(usage.thoughtsTokenCount) ?? 0;
  // Spoken input and generated images have their own prices.
  const spoken = getTokens('AUDIO', usage.promptTokensDetails);
  const drawn = getTokens('IMAGE', usage.candidatesTokensDetails);
  const counted: TokenUsage = {
    promptTokens,
    completionTokens: (asCount(usage.candidatesTokenCount) ?? 0) + reasoningTokens,
    cachedTokens: Math.min(promptTokens, asCount(usage.cachedContentTokenCount) ?? 0),
    cacheWriteTokens: 0,
    reasoningTokens,
    ...(spoken === null ? {} : { audioTokens: spoken }),
    ...(drawn === null ? {} : { imageTokens: drawn }),
    ...(searches > 0 ? { searches } : {}),
  };
  return [{ type: 'usage', usage: counted }];
}

/** Returns the tokens of one kind of content, if Google counts them separately; null if there are none. */
function getTokens(modality: string, details: unknown): number | null {
  const counted = asArray(details)
    .map(asObject)
    .find((detail) => detail.modality === modality);
  return asCount(counted?.tokenCount) || null;
}

const id = 'google';

/** Google's Gemini API. Its base URL has no path. Google can't fetch files by their URL. */
export function createGoogle(): Provider {
  return {
    id,
    name: 'Google',
    signsReasoning: true,
    maxNonStreamingTokens: Number.POSITIVE_INFINITY,
    counts: 'along',
    async chat(request, context, take) {
      const method = request.nonStreaming ? 'generateContent' : 'streamGenerateContent?alt=sse';
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

/** The key goes into a header, never into the URL, because URLs are logged more often than headers. */
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
