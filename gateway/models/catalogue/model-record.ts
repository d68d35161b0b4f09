import type { Model } from '#shared/wire/model.ts';
import { priceToJson } from '../prices/price-json.ts';
import type { CatalogueModel, EmbeddingFacts } from './catalogue.ts';

export type Availability = Pick<Model, 'status' | 'unavailable_reason'>;

const limits = { max_images: 20, max_request_bytes: 26_214_400 };

/** Converts a model to its wire format (wire contract §2.1). */
export const toModelRecord = (model: CatalogueModel, availability: Availability): Model => ({
  id: model.id,
  object: 'model',
  created: model.created,
  owned_by: model.provider,
  provider: model.provider,
  model: model.model,
  name: model.name,
  description: model.description,
  kind: model.embedding ? 'embedding' : 'chat',
  ...availability,
  context_length: model.contextLength,
  max_output_tokens: model.maxOutputTokens,
  architecture: { input_modalities: [...model.inputModalities], output_modalities: [...model.outputModalities] },
  capabilities: [...model.capabilities],
  supported_parameters: [...model.supportedParameters],
  pricing: model.price && { ...priceToJson(model.price), as_of: model.priceAsOf, source: model.priceSource },
  limits,
  quality: model.quality,
  deprecation_date: model.deprecationDate,
  shutdown_date: model.shutdownDate,
  successor: model.successor,
  ...(model.facts ? { reasoning_efforts: [...model.facts.efforts] } : {}),
  ...(model.facts?.webSearch ? { web_search: { beside_tools: model.facts.webSearch.besideTools } } : {}),
  ...(model.embedding ? { embedding: embeddingRecord(model.embedding) } : {}),
  aliases: [...model.aliases],
  simulated: model.simulated,
});

const embeddingRecord = ({ dimensions, selectable, inputTokens, inputs, requestTokens }: EmbeddingFacts) => ({
  dimensions,
  selectable_dimensions: selectable && { min: selectable.min, max: selectable.max },
  max_input_tokens: inputTokens,
  max_inputs: inputs,
  max_request_tokens: requestTokens,
});

/** Describes the router as an entry of the model list. It can do whatever at least one available model can do. */
export function routerRecord(models: readonly Model[], vendor: string): Model {
  const available = models.filter((model) => model.status === 'available' || model.status === 'degraded');
  const union = (pick: (model: Model) => readonly string[]) => [...new Set(available.flatMap(pick))];
  const largest = (pick: (model: Model) => number | null) =>
    available.reduce<number | null>((max, model) => Math.max(max ?? 0, pick(model) ?? 0) || null, null);
  const usable = available.length > 0;
  return {
    id: 'router',
    object: 'model',
    created: 0,
    owned_by: vendor,
    provider: 'router',
    model: 'router',
    name: 'Auto',
    description: 'Chooses the model for each request by what it needs, costs and promises.',
    kind: 'router',
    status: usable ? 'available' : 'no_credential',
    unavailable_reason: usable ? null : 'No model can be used: add a provider key or change the plan.',
    context_length: largest((model) => model.context_length),
    max_output_tokens: largest((model) => model.max_output_tokens),
    architecture: {
      input_modalities: union((model) => model.architecture.input_modalities),
      output_modalities: union((model) => model.architecture.output_modalities),
    },
    capabilities: union((model) => model.capabilities),
    supported_parameters: union((model) => model.supported_parameters),
    pricing: null,
    limits,
    quality: null,
    deprecation_date: null,
    shutdown_date: null,
    successor: null,
    aliases: ['auto', `${vendor}/router`],
    simulated: usable && available.every((model) => model.simulated),
  };
}
