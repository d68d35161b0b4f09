import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { recordedNonStreamingResponse, recordedResponse, recordedSecret } from '../recorded-responses.ts';
import { recordedNonStreamingGoogle, recordedStreams } from '../recorded-streams.ts';
import { anthropicError, anthropicRules } from './anthropic-vendor.ts';
import { embeddingVendors } from './embedding-vendors.ts';
import { googleError, googleRules } from './google-vendor.ts';
import { openAiError, openAiRules } from './openai-vendor.ts';
import { responsesRules, unverifiedRules } from './responses-vendor.ts';
import {
  anthropicLoop,
  type CallArguments,
  googleLoop,
  lostTheThread,
  openAiLoop,
  responsesLoop,
  thoughtThrough,
} from './tool-loops.ts';
import { firstRefusal, type Refusal, type VendorRule } from './vendor-rule.ts';

interface Vendor {
  readonly path: RegExp;
  readonly rules: readonly VendorRule[];
  readonly error: (refusal: Refusal) => object;
  readonly answer: string;
  /** The answer to a non-streaming request. Without one, `answer` serves for both. */
  readonly nonStreaming?: object;
  /** Rules for organisations that the vendor has not verified. */
  readonly unverified?: readonly VendorRule[];
  readonly loop: (body: JsonObject, model: string, given: CallArguments) => string;
}

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, message: { role: 'assistant', content: recordedStreams.text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 20, completion_tokens: 11, total_tokens: 31 },
};

const vendors: readonly Vendor[] = [
  {
    path: /\/v1\/chat\/completions$/,
    rules: openAiRules,
    error: openAiError,
    answer: recordedStreams.openai.join(''),
    nonStreaming: completion,
    unverified: unverifiedRules,
    loop: openAiLoop,
  },
  {
    path: /\/v1\/responses$/,
    rules: responsesRules,
    error: openAiError,
    answer: recordedResponse.join(''),
    nonStreaming: recordedNonStreamingResponse,
    unverified: unverifiedRules,
    loop: responsesLoop,
  },
  {
    path: /\/v1\/messages$/,
    rules: anthropicRules,
    error: anthropicError,
    answer: recordedStreams.anthropic.join(''),
    loop: anthropicLoop,
  },
  {
    path: /\/v1beta\/models\/([^:/]+):(?:streamG|g)enerateContent/,
    rules: googleRules,
    error: googleError,
    answer: recordedStreams.google.join(''),
    nonStreaming: recordedNonStreamingGoogle,
    loop: googleLoop,
  },
];

/** A request that a vendor received, and its refusal. */
export interface VendorCall {
  readonly url: string;
  readonly body: JsonObject;
  readonly refusal: Refusal | null;
}

export interface DoubleOptions {
  readonly verified?: boolean;
  /** Makes OpenAI accept reasoning that it encrypted when it's sent back. */
  readonly decrypts?: boolean;
  /** Makes the vendors reason and call their tools with the inputs given for a request, one call after another. */
  readonly loop?: ((body: JsonObject) => CallArguments) | null;
  /** The last words of a tool loop, instead of those that show whether all reasoning came back. */
  readonly finalWords?: string;
}

/**
 * Opens doubles of all three vendors in place of the network. Each refuses what the real vendor refuses, in its words,
 * and answers everything else.
 */
export function openVendorDouble({ verified = true, decrypts = false, loop = null, finalWords }: DoubleOptions = {}) {
  const calls: VendorCall[] = [];
  const send: typeof fetch = async (input, init) => {
    const url = String(input);
    const embedder = embeddingVendors.find(({ path }) => path.test(url));
    const vendor = embedder ?? vendors.find(({ path }) => path.test(url));
    if (!vendor) return Response.json({ error: { message: `nobody is at ${url}` } }, { status: 404 });
    const body = asObject(JSON.parse(await new Response(init?.body ?? '{}').text()));
    const model = asText(body.model) ?? decodeURIComponent(vendor.path.exec(url)?.[1] ?? '');
    const unverified = 'unverified' in vendor ? vendor.unverified : [];
    const rules = [...vendor.rules, ...(verified ? [] : (unverified ?? []))];
    const refusal = firstRefusal(rules, body, model, new Headers(init?.headers));
    calls.push({ url, body, refusal });
    if (refusal) return Response.json(vendor.error(refusal), { status: 400 });
    if (!('loop' in vendor)) return Response.json(vendor.answer(body, model));
    if (loop) return streamed(ending(vendor.loop(body, model, loop(body)), finalWords));
    const isNonStreaming = body.stream === false || url.includes(':generateContent');
    if (isNonStreaming && vendor.nonStreaming) return Response.json(vendor.nonStreaming);
    return streamed(decrypts ? vendor.answer.replaceAll(recordedSecret, `encrypted by ${model}`) : vendor.answer);
  };
  return { send, calls };
}

function ending(events: string, finalWords: string | undefined): string {
  if (finalWords === undefined) return events;
  return [thoughtThrough, lostTheThread].reduce(
    (all, words) => all.replaceAll(inJson(words), () => inJson(finalWords)),
    events,
  );
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

const streamed = (events: string) => new Response(events, { headers: { 'content-type': 'text/event-stream' } });
