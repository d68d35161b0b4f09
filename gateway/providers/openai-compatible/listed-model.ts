import type { Capability, CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { embeddingModel, unknownEmbedding } from '../../models/catalogue/facts/embedding-models.ts';
import type { ListedModel } from '../provider.ts';
import type { Dialect } from './dialects.ts';

/** Where a list has its prices from. */
export interface Listing {
  readonly provider: string;
  readonly dialect: Dialect;
  /** Day of the list, `YYYY-MM-DD`. */
  readonly day: string;
  readonly source: string;
}

const sampling = ['temperature', 'top_p', 'max_tokens', 'stop', 'seed', 'frequency_penalty', 'presence_penalty'];
const toolParameters = ['tools', 'tool_choice', 'parallel_tool_calls'];

/**
 * A record for a model that its server lists. What the server does not say is offered, because it ignores or refuses by
 * itself what it lacks; a price that it does not say is not known, and quality never is.
 */
export function listedModel(listing: Listing, listed: ListedModel): CatalogueModel {
  const { provider, dialect } = listing;
  if (listed.embeds) return listedEmbedding(listing, listed);
  const inputs = listed.inputs ?? dialect.takes;
  const tools = listed.tools ?? true;
  const thinks = dialect.effort !== 'none' && listed.reasoning !== false;
  const offered = [
    ...sampling,
    ...(tools ? toolParameters : []),
    'response_format',
    ...(thinks ? ['reasoning_effort'] : []),
    ...(dialect.keepsCacheMarks ? ['cache_control'] : []),
    ...(listed.makesImages ? ['modalities'] : []),
  ];
  return {
    id: `${provider}/${listed.model}`,
    provider,
    model: listed.model,
    name: listed.name ?? listed.model,
    description: null,
    created: listed.created ?? 0,
    contextLength: listed.contextLength,
    maxOutputTokens: listed.maxOutputTokens ?? null,
    inputModalities: inputs,
    outputModalities: listed.makesImages ? ['text', 'image'] : ['text'],
    capabilities: getCapabilities(inputs, tools, thinks && listed.reasoning === true, listed.makesImages === true),
    supportedParameters: offered.filter((name) => !dialect.refuses.includes(name)),
    price: listed.price ?? null,
    priceAsOf: listed.price ? listing.day : null,
    priceSource: listed.price ? listing.source : null,
    quality: null,
    speed: { firstTokenMs: 1_000, tokensPerSecond: 30 },
    deprecationDate: null,
    shutdownDate: null,
    successor: null,
    facts: null,
    aliases: [],
    simulated: false,
  };
}

function listedEmbedding({ provider, day, source }: Listing, listed: ListedModel): CatalogueModel {
  const { model, name, created, contextLength, price = null } = listed;
  const facts = { ...unknownEmbedding, inputTokens: contextLength };
  return embeddingModel(`${provider}/${model}`, name ?? model, facts, {
    created: created ?? 0,
    price,
    ...(price === null ? {} : { priceAsOf: day, priceSource: source }),
  });
}

function getCapabilities(
  inputs: readonly string[],
  tools: boolean,
  reasoning: boolean,
  makesImages: boolean,
): Capability[] {
  return [
    'streaming',
    ...(tools ? (['tools'] as const) : []),
    'json_mode',
    'json_schema',
    ...(inputs.includes('image') ? (['vision'] as const) : []),
    ...(inputs.includes('file') ? (['files'] as const) : []),
    ...(inputs.includes('audio') ? (['audio'] as const) : []),
    ...(reasoning ? (['reasoning'] as const) : []),
    ...(makesImages ? (['image_output'] as const) : []),
  ];
}
