import { parseUsdPerToken, picoUsd } from '#shared/money.ts';
import type { CatalogueModel, EmbeddingFacts } from '../catalogue.ts';

/** Embedding models of vendors with known prices, each with the page of its facts, read 2026-11-22. */

interface Known extends EmbeddingFacts {
  readonly id: string;
  readonly name: string;
  /** `YYYY-MM-DD`. */
  readonly released: string;
  /** USD per input token. Nothing else is charged. */
  readonly price: string;
  readonly source: string;
}

const read = '2026-11-22';

/**
 * OpenAI accepts 2,048 inputs of 8,192 tokens each and 300,000 tokens in all
 * (https://microsoft.github.io/openaivec/api/embeddings/). It accepts token numbers as input
 * (https://docs.rs/async-openai, which is generated from its specification).
 */
const openAi = { inputTokens: 8_192, inputs: 2_048, requestTokens: 300_000, takesTokens: true } as const;

const known: readonly Known[] = [
  {
    id: 'openai/text-embedding-3-small',
    name: 'Text Embedding 3 Small',
    released: '2024-01-25',
    ...openAi,
    dimensions: 1_536,
    selectable: { min: 1, max: 1_536 },
    price: '0.00000002',
    source: 'https://developers.openai.com/api/docs/models/text-embedding-3-small',
  },
  {
    id: 'openai/text-embedding-3-large',
    name: 'Text Embedding 3 Large',
    released: '2024-01-25',
    ...openAi,
    dimensions: 3_072,
    selectable: { min: 1, max: 3_072 },
    price: '0.00000013',
    source: 'https://developers.openai.com/api/docs/models/text-embedding-3-large',
  },
  {
    // The minimum length of shortened vectors isn't documented, but Google refuses a length that is too short. The
    // limit of 100 inputs comes from the API's own refusal (https://github.com/geldata/gel/issues/9032).
    id: 'google/gemini-embedding-001',
    name: 'Gemini Embedding 001',
    released: '2025-05-20',
    dimensions: 3_072,
    selectable: { min: 1, max: 3_072 },
    price: '0.00000015',
    inputTokens: 2_048,
    inputs: 100,
    requestTokens: null,
    takesTokens: false,
    source: 'https://developers.googleblog.com/en/gemini-embedding-available-gemini-api/',
  },
  {
    // The limits of 512 inputs and 16,384 tokens in all come from the API's own refusals
    // (https://github.com/raphaelmansuy/edgequake-llm/pull/74,
    // https://github.com/aurelio-labs/semantic-router/issues/297). The price comes from
    // https://opencode.ai/data/mistral/mistral-embed.json.
    id: 'mistral/mistral-embed',
    name: 'Mistral Embed',
    released: '2023-12-11',
    dimensions: 1_024,
    selectable: null,
    price: '0.0000001',
    inputTokens: 8_192,
    inputs: 512,
    requestTokens: 16_384,
    takesTokens: false,
    source: 'https://docs.mistral.ai/capabilities/embeddings/text_embeddings',
  },
];

/** Used for a model that only its server knows. It assumes nothing about the model. */
export const unknownEmbedding: EmbeddingFacts = {
  dimensions: null,
  selectable: { min: 1, max: 65_536 },
  inputTokens: null,
  inputs: null,
  requestTokens: null,
  takesTokens: true,
};

const models = known.map((entry): CatalogueModel => {
  const { id, name, released, price, source } = entry;
  const { dimensions, selectable, inputTokens, inputs, requestTokens, takesTokens } = entry;
  return embeddingModel(
    id,
    name,
    { dimensions, selectable, inputTokens, inputs, requestTokens, takesTokens },
    {
      created: Date.parse(released) / 1_000,
      price: {
        prompt: parseUsdPerToken(price),
        completion: picoUsd(0n),
        request: picoUsd(0n),
        cacheRead: null,
        cacheWrite: null,
        tiers: [],
      },
      priceAsOf: read,
      priceSource: source,
    },
  );
});

/** Builds the record of a model that only makes embeddings. */
export function embeddingModel(
  id: string,
  name: string,
  embedding: EmbeddingFacts,
  more: Partial<CatalogueModel> = {},
): CatalogueModel {
  const slash = id.indexOf('/');
  return {
    id,
    name,
    provider: id.slice(0, slash),
    model: id.slice(slash + 1),
    embedding,
    description: null,
    created: 0,
    contextLength: embedding.inputTokens,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
    capabilities: ['embeddings'],
    supportedParameters: [...(embedding.selectable ? ['dimensions'] : []), 'encoding_format', 'user'],
    price: null,
    priceAsOf: null,
    priceSource: null,
    quality: null,
    speed: { firstTokenMs: 300, tokensPerSecond: 0 },
    deprecationDate: null,
    shutdownDate: null,
    successor: null,
    facts: null,
    aliases: [],
    simulated: false,
    ...more,
  };
}

const byId = new Map(models.map((model) => [model.id, model]));

/** Returns a known embedding model by `provider/model`. */
export const knownEmbedding = (id: string): CatalogueModel | undefined => byId.get(id);

/**
 * Embedding models of the vendors that have an adapter of their own. The lists of these vendors aren't fetched for
 * embeddings.
 */
export const bookEmbeddings: readonly CatalogueModel[] = models.filter(({ provider }) => provider !== 'mistral');
