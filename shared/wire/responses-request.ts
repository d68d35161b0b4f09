import { z } from 'zod';
import { endUser, gatewayFields, metadata, optional, outputTokens, reasoningEffort, toolName } from './chat-request.ts';

/**
 * A request of OpenAI's Responses API, as far as the gateway serves it: without a store
 * (`ResponseCreateParams` and the items' types of openai-node 7.57, read 2026-11-22). Items and parts are
 * loose: fields that OpenAI adds to them are accepted without a warning.
 */

const status = optional(z.string());
const text = z.string();

const inputText = z.looseObject({ type: z.literal('input_text'), text });
const inputImage = z.looseObject({
  type: z.literal('input_image'),
  image_url: optional(z.string().min(1)),
  file_id: optional(z.string()),
  detail: optional(z.enum(['auto', 'low', 'high', 'original'])),
});
const inputFile = z.looseObject({
  type: z.literal('input_file'),
  file_data: optional(z.string()),
  file_id: optional(z.string()),
  file_url: optional(z.string()),
  filename: optional(z.string().max(255)),
});
const outputText = z.looseObject({ type: z.literal('output_text'), text });
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });

const inputParts = z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile]));
const messageType = optional(z.literal('message'));

const message = z.discriminatedUnion('role', [
  z.looseObject({ type: messageType, role: z.literal('user'), content: z.union([text, inputParts.min(1)]) }),
  z.looseObject({ type: messageType, role: z.literal('system'), content: z.union([text, z.array(inputText).min(1)]) }),
  z.looseObject({
    type: messageType,
    role: z.literal('developer'),
    content: z.union([text, z.array(inputText).min(1)]),
  }),
  z.looseObject({
    type: messageType,
    role: z.literal('assistant'),
    content: z.union([text, z.array(z.discriminatedUnion('type', [outputText, refusal, inputText]))]),
  }),
]);

const functionCall = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string().min(1),
  name: z.string(),
  arguments: z.string(),
  status,
});
const functionCallOutput = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: z.string().min(1),
  output: z.union([text, inputParts]),
  status,
});
const reasoning = z.looseObject({
  type: z.literal('reasoning'),
  summary: optional(z.array(z.looseObject({ text }))),
  encrypted_content: optional(z.string()),
});

/** An image of an earlier answer: its base64. */
const imageCall = z.looseObject({ type: z.literal('image_generation_call'), result: z.string().nullish(), status });

export const inputItem = z.union([
  message,
  z.discriminatedUnion('type', [functionCall, functionCallOutput, reasoning, imageCall]),
]);

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: toolName,
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
});

const place = optional(z.string().max(100).nullable());

/** The provider's own search of the web; what else OpenAI's tool can be told (domains, sources) is ignored. */
const webSearchTool = z.looseObject({
  type: z.enum(['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11']),
  search_context_size: optional(z.enum(['low', 'medium', 'high']).nullable()),
  user_location: optional(
    z
      .looseObject({ type: z.literal('approximate'), city: place, country: place, region: place, timezone: place })
      .nullable(),
  ),
});

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: z.string(),
    schema: optional(z.record(z.string(), z.unknown())),
    strict: optional(z.boolean()),
    description: optional(z.string()),
  }),
]);

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.object({ type: z.literal('function'), name: z.string().max(256) }),
  z.object({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(z.looseObject({ type: z.literal('function'), name: z.string() })).min(1),
  }),
]);

/** `POST /v1/responses`. */
export const responsesRequest = z
  .looseObject({
    ...gatewayFields,
    input: z.union([z.string().min(1), z.array(inputItem).min(1).max(10_000)]),
    instructions: optional(z.string()),
    max_output_tokens: optional(outputTokens),
    tools: optional(z.array(z.discriminatedUnion('type', [functionTool, webSearchTool])).max(128)),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(z.boolean()),
    text: optional(z.looseObject({ format: optional(format), verbosity: optional(z.string()) })),
    reasoning: optional(z.looseObject({ effort: reasoningEffort, summary: optional(z.string()) })),
    user: endUser,
    metadata,
    include: optional(z.array(z.string()).max(20)),
    top_logprobs: optional(z.int().min(0).max(20)),
    stream_options: optional(z.looseObject({})),
    store: optional(z.boolean()),
    background: optional(z.boolean()),
    truncation: optional(z.enum(['auto', 'disabled'])),
    service_tier: optional(z.string()),
    prompt_cache_key: optional(z.string()),
    safety_identifier: optional(z.string()),
  })
  .meta({ id: 'ResponsesRequest' });

export type InputItem = z.output<typeof inputItem>;
export type InputPart = z.output<typeof inputParts>[number];
export type ResponsesRequest = z.output<typeof responsesRequest>;
