import { z } from 'zod';
import { count, listOf, unixSeconds, usdPerToken } from './scalars.ts';

const rates = {
  prompt: usdPerToken,
  completion: usdPerToken,
  input_cache_read: usdPerToken.nullable(),
  input_cache_write: usdPerToken.nullable(),
  /** To write into the cache for an hour; absent: twice `prompt`. */
  input_cache_write_1h: usdPerToken.nullish(),
  /** Absent: as `completion`. */
  reasoning: usdPerToken.nullish(),
  /** Spoken input; absent: as `prompt`. */
  input_audio: usdPerToken.nullish(),
  /** Images that the model makes; absent: as `completion`. */
  image_output: usdPerToken.nullish(),
};

export const pricing = z.looseObject({
  currency: z.literal('USD'),
  unit: z.literal('token'),
  ...rates,
  request: usdPerToken,
  /** USD for one search of the web by the provider's own tool; absent: the model has none, or its price is unknown. */
  web_search: usdPerToken.nullish(),
  image: usdPerToken.nullable(),
  tiers: z.array(z.looseObject({ min_prompt_tokens: count, ...rates })),
  /** Day from which these prices are known to hold, `YYYY-MM-DD`. */
  as_of: z.string().nullable(),
  /** The source of these prices. */
  source: z.string().nullable(),
});

/** A model of the catalogue (wire contract §2.1). `pricing: null`: it is the router, or its price is unknown. */
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
    /** The model that its vendor recommends instead, `provider/model`; it need not be in this list. */
    successor: z.string().nullish(),
    /** Values of `reasoning_effort`; absent: unknown, empty: the model does not reason. */
    reasoning_efforts: z.array(z.string()).optional(),
    /** How its provider searches the web for it; absent: not at all. `beside_tools`: also in a request with tools. */
    web_search: z.looseObject({ beside_tools: z.boolean() }).optional(),
    /** Of embedding models; null: unknown. */
    embedding: z
      .looseObject({
        dimensions: count.nullable(),
        /** Values of `dimensions`; null: it cannot be chosen. */
        selectable_dimensions: z.object({ min: count, max: count }).nullable(),
        max_input_tokens: count.nullable(),
        max_inputs: count.nullable(),
        max_request_tokens: count.nullable(),
      })
      .optional(),
    aliases: z.array(z.string()),
    /** True for the sandbox: answers are made up and priced in test credits. */
    simulated: z.boolean(),
  })
  .meta({ id: 'Model' });

export const modelList = listOf(model).meta({ id: 'ModelList' });

export type Model = z.infer<typeof model>;
