import { z } from 'zod';
import {
  gatewayFields,
  longToolName,
  maxLongStops,
  maxLongTools,
  optional,
  outputTokens,
  stopSequence,
} from './chat-request.ts';

/**
 * A request of Anthropic's Messages API, as far as the gateway supports it (`MessageCreateParams` and the block types
 * of anthropic-sdk-typescript 1.12, read 2026-11-22). Blocks are loose: fields that Anthropic or a client adds to them
 * are accepted without a warning.
 */

const cacheControl = optional(z.looseObject({ type: z.literal('ephemeral'), ttl: optional(z.enum(['5m', '1h'])) }));
const marked = { cache_control: cacheControl };

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string(), ...marked });
const base64Source = z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string().min(1) });
const urlSource = z.looseObject({ type: z.literal('url'), url: z.string().min(1) });
const fileSource = z.looseObject({ type: z.literal('file'), file_id: z.string() });
const imageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [base64Source, urlSource, fileSource]),
  ...marked,
});
const documentBlock = z.looseObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    base64Source,
    urlSource,
    fileSource,
    z.looseObject({ type: z.literal('text'), data: z.string() }),
    z.looseObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]),
    }),
  ]),
  title: optional(z.string().max(255)),
  context: optional(z.string()),
  ...marked,
});
const searchResultBlock = z.looseObject({
  type: z.literal('search_result'),
  title: z.string(),
  source: z.string(),
  content: z.array(textBlock),
  ...marked,
});
const given = [textBlock, imageBlock, documentBlock, searchResultBlock] as const;

/** A tool that the client's own tool search found. It is already in `tools`. */
const toolReferenceBlock = z.looseObject({ type: z.literal('tool_reference'), tool_name: z.string(), ...marked });

const toolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1),
  content: optional(z.union([z.string(), z.array(z.discriminatedUnion('type', [...given, toolReferenceBlock]))])),
  is_error: optional(z.boolean()),
  ...marked,
});
const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  ...marked,
});
const thinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: optional(z.string()),
});
const redactedBlock = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() });

const systemContent = z.union([z.string(), z.array(textBlock)]);
const message = z.discriminatedUnion('role', [
  z.looseObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [...given, toolResultBlock]))]),
  }),
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [textBlock, toolUseBlock, thinkingBlock, redactedBlock])),
    ]),
  }),
  z.looseObject({ role: z.literal('system'), content: systemContent }),
]);

const tool = z.looseObject({
  type: optional(z.literal('custom')),
  name: longToolName,
  description: optional(z.string()),
  input_schema: z.record(z.string(), z.unknown()),
  strict: optional(z.boolean()),
  ...marked,
});

const onlyOne = { disable_parallel_tool_use: optional(z.boolean()) };
const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...onlyOne }),
  z.looseObject({ type: z.literal('any'), ...onlyOne }),
  z.looseObject({ type: z.literal('tool'), name: z.string().max(256), ...onlyOne }),
  z.looseObject({ type: z.literal('none') }),
]);

const display = optional(z.enum(['summarized', 'omitted']));
const thinking = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1_024), display }),
  z.looseObject({ type: z.literal('adaptive'), display }),
  z.looseObject({ type: z.literal('between_tools') }),
  z.looseObject({ type: z.literal('disabled') }),
]);

const jsonSchema = z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) });

const countedFields = {
  ...gatewayFields,
  temperature: optional(z.number().min(0).max(1)),
  messages: z.array(message).min(1).max(10_000),
  system: optional(systemContent),
  tools: optional(z.array(tool).max(maxLongTools)),
  tool_choice: optional(toolChoice),
  thinking: optional(thinking),
  output_config: optional(
    z.looseObject({
      effort: optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: optional(jsonSchema),
    }),
  ),
  /** The earlier name of the field, from a beta. */
  output_format: optional(jsonSchema),
  stop_sequences: optional(z.array(stopSequence).max(maxLongStops)),
  top_k: optional(z.int().min(0)),
  metadata: optional(z.looseObject({ user_id: optional(z.string().max(4_096)) })),
  service_tier: optional(z.string()),
  /** Marks the last block of the request. */
  cache_control: cacheControl,
};

/** `POST /v1/messages`. */
export const messagesRequest = z
  .looseObject({ ...countedFields, max_tokens: outputTokens })
  .meta({ id: 'MessagesRequest' });

/** `POST /v1/messages/count_tokens`. */
export const countTokensRequest = z
  .looseObject({ ...countedFields, max_tokens: optional(outputTokens) })
  .meta({ id: 'CountTokensRequest' });

export type MessagesRequest = z.output<typeof countTokensRequest>;
export type MessageTurn = MessagesRequest['messages'][number];
export type GivenBlock = z.output<(typeof given)[number]>;
export type ResultBlock = GivenBlock | z.output<typeof toolReferenceBlock>;
export type ToolResultBlock = z.output<typeof toolResultBlock>;
export type ModelBlock = Exclude<Extract<MessageTurn, { role: 'assistant' }>['content'], string>[number];
export type CacheControl = z.output<typeof cacheControl>;
