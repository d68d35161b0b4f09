import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { googleError } from './google-vendor.ts';
import { openAiError } from './openai-vendor.ts';
import { type Refusal, toObjects, unknownNames, type VendorRule } from './vendor-rule.ts';

/** The embedding requests that vendors refuse, and vectors for all others. */

const read = '2026-11-22';
const refusal = (message: string, param: string | null = null): Refusal => ({ message, param });
const sizes: Readonly<Record<string, number>> = { 'text-embedding-3-small': 1_536, 'text-embedding-3-large': 3_072 };
/** An input list that begins with a number is one input, given as tokens. */
const getInputs = ({ input }: JsonObject) =>
  Array.isArray(input) && typeof input[0] !== 'number' ? (input as unknown[]) : [input];
const getVector = (size: number) => Array.from({ length: size }, (_, index) => Math.sin(index));

export const openAiEmbeddingRules: readonly VendorRule[] = [
  {
    source: 'https://developers.openai.com/api/docs/api-reference/embeddings/create',
    read,
    refuses(body, model) {
      const [strange] = unknownNames(body, ['input', 'model', 'dimensions', 'encoding_format', 'user']);
      if (strange) return refusal(`Unrecognized request argument supplied: ${strange}`);
      const size = sizes[model];
      if (!size) return refusal(`The model '${model}' does not exist or does not make embeddings.`, 'model');
      const inputs = getInputs(body);
      if (inputs.some((input) => input === '' || (Array.isArray(input) && input.length === 0)))
        return refusal("'$.input' is invalid.");
      if (inputs.length > 2_048) return refusal(`'$.input' is too long - 'input'`);
      const counts = inputs.map((input) => (Array.isArray(input) ? input.length : Math.ceil(String(input).length / 5)));
      if (counts.some((tokens) => tokens > 8_192)) return refusal("This model's maximum context length is 8192 tokens");
      if (counts.reduce((sum, tokens) => sum + tokens, 0) > 300_000) return refusal('max 300000 tokens per request');
      const { dimensions } = body;
      if (dimensions !== undefined && !(Number(dimensions) >= 1 && Number(dimensions) <= size)) {
        return refusal(
          `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${size}.`,
          'dimensions',
        );
      }
      return null;
    },
  },
];

export const googleEmbeddingRules: readonly VendorRule[] = [
  {
    source: 'https://ai.google.dev/api/embeddings',
    read,
    refuses(body, model) {
      const requests = toObjects(body.requests);
      if (unknownNames(body, ['requests']).length > 0) return refusal('Invalid JSON payload received. Unknown name.');
      if (requests.length > 100) {
        return refusal('* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n');
      }
      for (const request of requests) {
        const [strange] = unknownNames(request, ['model', 'content', 'outputDimensionality', 'taskType', 'title']);
        if (strange) return refusal(`Invalid JSON payload received. Unknown name "${strange}" at 'requests[0]'.`);
        if (request.model !== `models/${model}`) return refusal('the model of each request must match the batch');
        const [part] = toObjects(asObject(request.content).parts);
        if (!asText(part?.text)) return refusal('* EmbedContentRequest.content: contents is not specified\n');
      }
      return null;
    },
  },
];

function openAiVectors(body: JsonObject, model: string): object {
  const vector = getVector(Number(body.dimensions ?? sizes[model]));
  const embedding =
    body.encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
  const data = getInputs(body).map((_, index) => ({ object: 'embedding', index, embedding }));
  return { object: 'list', data, model, usage: { prompt_tokens: 2 * data.length, total_tokens: 2 * data.length } };
}

const googleVectors = (body: JsonObject): object => ({
  embeddings: asArray(body.requests).map((request) => ({
    values: getVector(Number(asObject(request).outputDimensionality ?? 3_072)),
  })),
});

/** The vendors, found by their path. */
export const embeddingVendors = [
  { path: /\/v1\/embeddings$/, rules: openAiEmbeddingRules, error: openAiError, answer: openAiVectors },
  {
    path: /\/v1beta\/models\/([^:/]+):batchEmbedContents$/,
    rules: googleEmbeddingRules,
    error: googleError,
    answer: googleVectors,
  },
];
