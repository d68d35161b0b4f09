import { asObject, asText, type JsonObject } from '../../json/json-value.ts';
import { recordedStreams } from '../recorded-streams.ts';
import { anthropicError, anthropicRules } from './anthropic-vendor.ts';
import { googleError, googleRules } from './google-vendor.ts';
import { openAiError, openAiRules } from './openai-vendor.ts';
import { firstRefusal, type Refusal, type VendorRule } from './vendor-rule.ts';

interface Vendor {
  readonly path: RegExp;
  readonly rules: readonly VendorRule[];
  readonly error: (refusal: Refusal) => object;
  readonly answer: string;
}

const vendors: readonly Vendor[] = [
  {
    path: /\/v1\/chat\/completions$/,
    rules: openAiRules,
    error: openAiError,
    answer: recordedStreams.openai.join(''),
  },
  { path: /\/v1\/messages$/, rules: anthropicRules, error: anthropicError, answer: recordedStreams.anthropic.join('') },
  {
    path: /\/v1beta\/models\/([^:/]+):streamGenerateContent/,
    rules: googleRules,
    error: googleError,
    answer: recordedStreams.google.join(''),
  },
];

/** A request that a vendor got, and its refusal. */
export interface VendorCall {
  readonly body: JsonObject;
  readonly refusal: Refusal | null;
}

/** All three vendors in place of the network: each refuses what the real one refuses, in its words, and answers the rest. */
export function openVendorDouble() {
  const calls: VendorCall[] = [];
  const send: typeof fetch = async (input, init) => {
    const url = String(input);
    const vendor = vendors.find(({ path }) => path.test(url));
    if (!vendor) return Response.json({ error: { message: `nobody is at ${url}` } }, { status: 404 });
    const body = asObject(JSON.parse(await new Response(init?.body ?? '{}').text()));
    const model = asText(body.model) ?? decodeURIComponent(vendor.path.exec(url)?.[1] ?? '');
    const refusal = firstRefusal(vendor.rules, body, model);
    calls.push({ body, refusal });
    if (refusal) return Response.json(vendor.error(refusal), { status: 400 });
    return new Response(vendor.answer, { headers: { 'content-type': 'text/event-stream' } });
  };
  return { send, calls };
}
