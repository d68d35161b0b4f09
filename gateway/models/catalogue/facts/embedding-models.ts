import { parseUsdPerToken, picoUsd } from '#shared/money.ts';
import type { CatalogueModel, EmbeddingFacts } from '../catalogue.ts';

/** Embedding models of vendors whose prices are known, with the pages that say it; read 2026-11-22. */

interface Known extends EmbeddingFacts {
  readonly id: string;
  readonly name: string;
  /** `YYYY-MM-DD`. */
  readonly released: string;
  /** USD per token of input; nothing else is charged. */
  readonly price: string;
  readonly source: string;
}

const read = '2026-11-22';

/**
 * OpenAI: 2,048 inputs of 8,192 tokens each, 300,000 tokens in all, as https://microsoft.github.io/openaivec/api/embeddings/ says
 * of its contract; tokens as input by https://docs.rs/async-openai, which is made of its specification.
 */
const openAi = { inputTokens: 8_192, inputs: 2_048, requestTokens: 300_000, takesTokens: true } as const;

const known: readonly Known[] = [
  {
    id: 'openai/text-embedding-3-small',
    name: 'Text Embedding 3 Small',
    released: '2024-01-25',
    ...openAi,
    dimensions: 1_536,
    selectable: { least: 1, most: 1_536 },
    price: '0.00000002',
    source: 'https://developers.openai.com/api/docs/models/text-embedding-3-small',
  },
  {
    id: 'openai/text-embedding-3-large',
    name: 'Text Embedding 3 Large',
    released: '2024-01-25',
    ...openAi,
    dimensions: 3_072,
    selectable: { least: 1, most: 3_072 },
    price: '0.00000013',
    source: 'https://developers.openai.com/api/docs/models/text-embedding-3-large',
  },
  {
    // Where shortened vectors end is not documented there: Google refuses what is too short. 100 inputs: the API's own refusal, https://github.com/geldata/gel/issues/9032.
    id: 'google/gemini-embedding-001',
    name: 'Gemini Embedding 001',
    released: '2025-05-20',
    dimensions: 3_072,
    selectable: { least: 1, most: 3_072 },
    price: '0.00000015',
    inputTokens: 2_048,
    inputs: 100,
    requestTokens: null,
    takesTokens: false,
    source: 'https://developers.googleblog.com/en/gemini-embedding-available-gemini-api/',
  },
  {
    // 512 inputs and 16,384 tokens in all: the API's own refusals, https://github.com/raphaelmansuy/edgequake-llm/pull/74 and
    // https://github.com/aurelio-labs/semantic-router/issues/297. Price: https://opencode.ai/data/mistral/mistral-embed.json.
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

/** What is taken for granted of a model that only its server knows: nothing. */
export const unknownEmbedding: EmbeddingFacts = {
  dimensions: null,
  selectable: { least: 1, most: 65_536 },
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

/** The record of a model that makes embeddings and nothing else. */
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

/** A known embedding model by `provider/model`. */
export const knownEmbedding = (id: string): CatalogueModel | undefined => byId.get(id);

/** Those of vendors that the gateway has adapters of its own for: their lists are not asked for. */
export const bookEmbeddings: readonly CatalogueModel[] = models.filter(({ provider }) => provider !== 'mistral');
