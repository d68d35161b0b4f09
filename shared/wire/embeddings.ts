import { z } from 'zod';
import { endUser, gatewayFields, metadata } from './chat-request.ts';
import { routing, warning } from './chat-response.ts';
import { count, usdAmount } from './scalars.ts';

const text = z.string().min(1);
const tokens = z.array(z.int().min(0)).min(1);

/** `POST /v1/embeddings`: OpenAI's fields, and those that every request of the gateway has. */
export const embeddingsRequest = z
  .looseObject({
    input: z.union([text, z.array(text).min(1).max(2048), tokens, z.array(tokens).min(1).max(2048)]),
    model: z.string().min(1).max(256),
    dimensions: z.int().min(1).max(65_536).nullish(),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    user: endUser,
    provider: gatewayFields.provider,
    byoapi_key: gatewayFields.byoapi_key,
    metadata,
  })
  .meta({ id: 'EmbeddingsRequest' });

/** Answer of `POST /v1/embeddings`. `embedding` is a list of numbers, or base64 of little-endian 32-bit floats. */
export const embeddingsResponse = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        index: count,
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    /** The provider's own name of the model. */
    model: z.string(),
    provider: z.string(),
    usage: z.looseObject({ prompt_tokens: count, total_tokens: count }),
    cost_usd: usdAmount,
    byok: z.boolean(),
    routing,
    warnings: z.array(warning),
  })
  .meta({ id: 'Embeddings' });

export type EmbeddingsResponse = z.output<typeof embeddingsResponse>;
