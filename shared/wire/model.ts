import { z } from 'zod';
import { count, listOf, unixSeconds, usdPerToken } from './scalars.ts';

const rates = {
  prompt: usdPerToken,
  completion: usdPerToken,
  input_cache_read: usdPerToken.nullable(),
  input_cache_write: usdPerToken.nullable(),
  /** The price of writing into the cache for an hour. Absent if it is twice `prompt`. */
  input_cache_write_1h: usdPerToken.nullish(),
  /** Absent if it is the same as `completion`. */
  reasoning: usdPerToken.nullish(),
  /** The price of audio input. Absent if it is the same as `prompt`. */
  input_audio: usdPerToken.nullish(),
  /** The price of generated images. Absent if it is the same as `completion`. */
  image_output: usdPerToken.nullish(),
};

export const pricing = z.looseObject({
  currency: z.literal('USD'),
  unit: z.literal('token'),
  ...rates,
  request: usdPerToken,
  /** USD per web search with the provider's own tool. Absent if the model can't search or the price is unknown. */
  web_search: usdPerToken.nullish(),
  image: usdPerToken.nullable(),
  tiers: z.array(z.looseObject({ min_prompt_tokens: count, ...rates })),
  /** The day from which these prices are known to apply, `YYYY-MM-DD`. */
  as_of: z.string().nullable(),
  /** The source of these prices. */
  source: z.string().nullable(),
});

/** A model of the catalogue (wire contract §2.1). `pricing` is null for the router and for models of unknown price. */
export const model = z
  .looseObject({
    id: z.string(),
    object: z.literal('model'),
    created: unixSeconds,
    owned_by: z.string(),
    provider: z.string(),
    model: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    kind: z.enum(['chat', 'router', 'embedding']),
    status: z.enum(['available', 'no_credential', 'disabled', 'degraded', 'plan_required']),
    unavailable_reason: z.string().nullable(),
    context_length: count.nullable(),
    max_output_tokens: count.nullable(),
    architecture: z.object({ input_modalities: z.array(z.string()), output_modalities: z.array(z.string()) }),
    capabilities: z.array(z.string()),
    supported_parameters: z.array(z.string()),
    pricing: pricing.nullable(),
    limits: z.looseObject({ max_images: count, max_request_bytes: count }),
    quality: z.number().min(0).max(1).nullable(),
    deprecation_date: z.string().nullable(),
    shutdown_date: z.string().nullable(),
    /** The model that its vendor recommends instead, as `provider/model`. It may be missing from this list. */
    successor: z.string().nullish(),
    /** Accepted values of `reasoning_effort`. Absent if unknown; empty if the model doesn't reason. */
    reasoning_efforts: z.array(z.string()).optional(),
    /** Present if the provider can search the web for this model. `beside_tools`: also in a request with tools. */
    web_search: z.looseObject({ beside_tools: z.boolean() }).optional(),
    /** Of embedding models. Null if unknown. */
    embedding: z
      .looseObject({
        dimensions: count.nullable(),
        /** The accepted range of `dimensions`. Null if it can't be chosen. */
        selectable_dimensions: z.object({ min: count, max: count }).nullable(),
        max_input_tokens: count.nullable(),
        max_inputs: count.nullable(),
        max_request_tokens: count.nullable(),
      })
      .optional(),
    aliases: z.array(z.string()),
    /** True for the sandbox, whose answers are made up and paid with test credits. */
    simulated: z.boolean(),
  })
  .meta({ id: 'Model' });

export const modelList = listOf(model).meta({ id: 'ModelList' });

export type Model = z.infer<typeof model>;
