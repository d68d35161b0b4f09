import { z } from 'zod';
import { usdAmount } from './scalars.ts';

/**
 * The two chat requests (wire contract §1.1–1.3, §1.5). `null` on an optional field means "not set". Objects are loose:
 * an unknown field is reported as a warning, never silently dropped.
 */

const visibleAscii = /^[\x21-\x7e]+$/;
/** Text that is stored. U+0000 is refused because PostgreSQL can't store it. */
const kept = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[^\0]*$/);
/** `null` means "not set". */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** More tokens than any model writes. Their cost still fits into the ledger. */
export const maxOutputTokens = 2 ** 31 - 1;
export const outputTokens = z.int().min(1).max(maxOutputTokens);
/**
 * A 64-bit integer, as in OpenAI's interface. A JavaScript number is exact to 53 bits, so of a larger seed the
 * remainder is sent, which is always the same for the same seed.
 */
const seed = z
  .number()
  .refine(Number.isInteger, 'must be an integer')
  .min(-(2 ** 63))
  .max(2 ** 63)
  .transform((value) => value % 2 ** 53);
/** A name or pattern of a model, provider or tool. */
const word = z.string().max(256);

const cacheMark = z.object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() }).meta({
  description:
    'Keeps everything up to here in the prompt cache of a provider that wants it said (Anthropic, OpenRouter), for five minutes or an hour',
});
const marked = { cache_control: cacheMark.nullish() };

const textPart = z.object({ type: z.literal('text'), text: z.string(), ...marked });
const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string().min(1), detail: optional(z.enum(['auto', 'low', 'high', 'original'])) }),
  ...marked,
});
const filePart = z.object({
  type: z.literal('file'),
  file: z.object({
    filename: optional(z.string().max(255)),
    file_data: optional(z.string()),
    file_id: optional(z.string()),
  }),
  ...marked,
});
const audioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
  ...marked,
});

export const contentPart = z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart]);
const textContent = z.union([z.string(), z.array(textPart).min(1)]);
/** A refusal as OpenAI’s SDKs send it back; other models get it as text. */
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });
const assistantContent = z.union([
  z.string(),
  z
    .array(z.discriminatedUnion('type', [textPart, refusalPart]))
    .min(1)
    .transform((parts) =>
      parts.map((part) => (part.type === 'text' ? part : { type: 'text' as const, text: part.refusal })),
    ),
]);

/** Reasoning and its vendor's signature, in OpenRouter's format. */
export const reasoningDetail = z.looseObject({
  type: z.string(),
  id: z.string().nullish(),
  format: z.string().nullish(),
  index: z.number().nullish(),
});

export const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
  /** Opaque data of the provider that must be sent back unchanged (wire contract §1.6). */
  extra_content: z.record(z.string(), z.unknown()).optional(),
});

/** A call of an OpenAI custom tool, whose input is text. */
export const customToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('custom'),
  custom: z.object({ name: z.string(), input: z.string() }),
  extra_content: z.record(z.string(), z.unknown()).optional(),
});

export const chatMessage = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: textContent, ...marked }),
  z.looseObject({ role: z.literal('developer'), content: textContent, ...marked }),
  z.looseObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(contentPart).min(1).max(20)]),
    name: optional(z.string()),
    ...marked,
  }),
  z.looseObject({
    role: z.literal('assistant'),
    content: assistantContent.nullish(),
    tool_calls: optional(z.array(toolCall)),
    /** The message's reasoning, under each name that answers use for it. */
    reasoning_content: optional(z.string()),
    reasoning: optional(z.string()),
    reasoning_details: optional(z.array(reasoningDetail).max(2048)),
    /**
     * Images that the model made, in the form that answers have. They are sent to the model with the user's next
     * message.
     */
    images: optional(z.array(imagePart).max(20)),
    ...marked,
  }),
  z.looseObject({
    role: z.literal('tool'),
    content: z.union([
      z.string(),
      z
        .array(z.discriminatedUnion('type', [textPart, imagePart]))
        .min(1)
        .max(20),
    ]),
    tool_call_id: z.string().min(1),
    /** The tool failed. Sent to providers that support this mark. */
    is_error: z.boolean().nullish(),
    ...marked,
  }),
]);

export const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);

/** Anthropic's limit. Names of MCP tools in Claude Code are often longer than OpenAI's 64. */
export const longToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);

const functionTool = <T extends z.ZodType<string>>(name: T) =>
  z.object({
    type: z.literal('function'),
    function: z.object({
      name,
      description: optional(z.string()),
      parameters: optional(z.record(z.string(), z.unknown())),
      strict: optional(z.boolean()),
    }),
    ...marked,
  });
const tool = functionTool(toolName);

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string(),
      schema: optional(z.record(z.string(), z.unknown())),
      strict: optional(z.boolean()),
      description: optional(z.string()),
    }),
  }),
]);

/** Router controls (wire contract §5.2). */
export const routeControls = z.object({
  policy: optional(z.enum(['balanced', 'cheapest', 'fastest', 'best'])),
  only: optional(z.array(word).max(100)),
  ignore: optional(z.array(word).max(100)),
  max_cost_usd: optional(usdAmount.refine((text) => !text.startsWith('-'), 'must not be negative')),
  require_parameters: optional(z.boolean()),
  allow_fallbacks: optional(z.boolean()),
  max_attempts: optional(z.int().min(1).max(4)),
});

/** Fields that all forms of a chat request share. */
export const gatewayFields = {
  provider: optional(z.string().min(1).max(64)),
  model: optional(z.string().min(1).max(256)),
  temperature: optional(z.number().min(0).max(2)),
  stream: optional(z.boolean()),
  byoapi_key: optional(z.string().min(8).max(512).regex(visibleAscii)),
  top_p: optional(z.number().min(0).max(1)),
  session_id: optional(z.string().max(128)),
  route: optional(routeControls),
};
export const reasoningEffort = optional(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']));
export const stopSequence = z.string().min(1).max(256);
export const endUser = optional(kept(256));
export const metadata = optional(
  z
    .record(z.string().max(64), kept(512))
    .refine((pairs) => Object.keys(pairs).length <= 16, { message: 'at most 16 pairs' }),
);

const place = optional(z.string().max(100));

/**
 * Lets the model search the web with its provider's own tool (OpenAI's `web_search_options`). `search_context_size`
 * sets how much of the results it reads; only OpenAI supports it. `user_location` is the user's approximate location.
 */
const webSearchOptions = z.looseObject({
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
  user_location: optional(
    z.object({
      type: z.literal('approximate'),
      approximate: z.object({ city: place, country: place, region: place, timezone: place }),
    }),
  ),
});

const sharedFields = {
  ...gatewayFields,
  max_tokens: optional(outputTokens),
  stop: optional(z.union([stopSequence, z.array(stopSequence).max(4)])),
  seed: optional(seed),
  frequency_penalty: optional(z.number().min(-2).max(2)),
  presence_penalty: optional(z.number().min(-2).max(2)),
  response_format: optional(responseFormat),
  tools: optional(z.array(tool).max(128)),
  tool_choice: optional(
    z.union([
      z.enum(['none', 'auto', 'required']),
      z.object({ type: z.literal('function'), function: z.object({ name: word }) }),
    ]),
  ),
  parallel_tool_calls: optional(z.boolean()),
  reasoning_effort: reasoningEffort,
  web_search_options: optional(webSearchOptions),
  /** What the answer may contain: text, and images if they are requested as well (OpenRouter's `modalities`). */
  modalities: optional(
    z
      .array(z.enum(['text', 'image', 'audio']))
      .min(1)
      .max(3),
  ),
  user: endUser,
  metadata,
};

/** `POST /chat` and `POST /api/chat`. */
export const promptRequest = z
  .looseObject({
    ...sharedFields,
    prompt: z.string().min(1).max(2_000_000).regex(/\S/),
    system: optional(z.string().max(200_000)),
    files: optional(z.array(contentPart).max(20)),
  })
  .meta({ id: 'ChatRequest' });

/** `POST /v1/chat/completions`. */
export const completionRequest = z
  .looseObject({
    ...sharedFields,
    messages: z.array(chatMessage).min(1).max(2048),
    max_completion_tokens: optional(outputTokens),
    stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
    n: optional(z.int()),
  })
  .meta({ id: 'ChatCompletionRequest' });

/** Anthropic names no limits for these. Ours are far above what clients send. */
export const maxLongTools = 1_024;
export const maxLongStops = 64;

/** A request of Anthropic's API as a chat completion, with the limits of that API. */
export const longCompletionRequest = completionRequest.extend({
  tools: optional(z.array(functionTool(longToolName)).max(maxLongTools)),
  stop: optional(z.union([stopSequence, z.array(stopSequence).max(maxLongStops)])),
});

export type CacheMark = z.output<typeof cacheMark>;
export type ChatMessage = z.output<typeof chatMessage>;
export type ContentPart = z.output<typeof contentPart>;
export type ReasoningDetail = z.output<typeof reasoningDetail>;
export type CustomToolCall = z.output<typeof customToolCall>;
export type ToolCall = z.output<typeof toolCall>;
export type RouteControls = z.output<typeof routeControls>;
export type PromptRequest = z.output<typeof promptRequest>;
export type PromptRequestBody = z.input<typeof promptRequest>;
export type CompletionRequest = z.output<typeof completionRequest>;
export type CompletionRequestBody = z.input<typeof completionRequest>;
