import { z } from 'zod';
import { endUser, gatewayFields, metadata, optional, outputTokens, reasoningEffort, toolName } from './chat-request.ts';

/**
 * A request of OpenAI's Responses API, as far as the gateway supports it: without stored responses
 * (`ResponseCreateParams` and the item types of openai-node 7.57, read 2026-11-22). Items and parts are loose: fields
 * that OpenAI adds to them are accepted without a warning.
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
  namespace: optional(z.string()),
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

/** An image of an earlier answer, as base64. */
const imageCall = z.looseObject({ type: z.literal('image_generation_call'), result: z.string().nullish(), status });

/** Calls of tools that the caller runs (ResponseInputItem of openai-node 7.57), and their outputs. */
const anyName = z.string().min(1).max(256);
const callId = z.string().min(1);
const customToolCall = z.looseObject({
  type: z.literal('custom_tool_call'),
  call_id: callId,
  name: z.string(),
  namespace: optional(z.string()),
  input: z.string(),
});
const customToolCallOutput = z.looseObject({
  type: z.literal('custom_tool_call_output'),
  call_id: callId,
  output: z.union([text, inputParts]),
});
/** Without a call id, OpenAI's servers made the search. */
const toolSearchCall = z.looseObject({
  type: z.literal('tool_search_call'),
  call_id: optional(callId),
  arguments: z.unknown(),
});
const toolSearchOutput = z.looseObject({
  type: z.literal('tool_search_output'),
  call_id: optional(callId),
  tools: z.array(z.looseObject({})),
});
const localShellCall = z.looseObject({
  type: z.literal('local_shell_call'),
  call_id: callId,
  action: z.looseObject({}),
});
/** OpenAI refers to the call by `id`, other clients by `call_id`. */
const localShellCallOutput = z.looseObject({
  type: z.literal('local_shell_call_output'),
  id: optional(callId),
  call_id: optional(callId),
  output: z.string(),
});
const shellCall = z.looseObject({ type: z.literal('shell_call'), call_id: callId, action: z.looseObject({}) });
const shellCallOutput = z.looseObject({
  type: z.literal('shell_call_output'),
  call_id: callId,
  output: z.array(z.looseObject({})),
});
const applyPatchCall = z.looseObject({
  type: z.literal('apply_patch_call'),
  call_id: callId,
  operation: z.looseObject({}),
});
const applyPatchCallOutput = z.looseObject({
  type: z.literal('apply_patch_call_output'),
  call_id: callId,
  status: optional(z.string()),
  output: optional(z.string()),
});

/** Tools that a client offers from this item on. */
const additionalTools = z.looseObject({ type: z.literal('additional_tools'), tools: z.array(z.looseObject({})) });
/** A web search that a provider made for an earlier answer. Its results are in the message after it. */
const webSearchCall = z.looseObject({ type: z.literal('web_search_call') });
/** A message from one of Codex's agents to another. */
const agentMessage = z.looseObject({
  type: z.literal('agent_message'),
  author: optional(z.string()),
  content: z.array(z.looseObject({ text: optional(z.string()), encrypted_content: optional(z.string()) })),
});

const typedItem = z.discriminatedUnion('type', [
  functionCall,
  functionCallOutput,
  reasoning,
  imageCall,
  customToolCall,
  customToolCallOutput,
  toolSearchCall,
  toolSearchOutput,
  localShellCall,
  localShellCallOutput,
  shellCall,
  shellCallOutput,
  applyPatchCall,
  applyPatchCallOutput,
  additionalTools,
  webSearchCall,
  agentMessage,
]);
export const inputItem = z.union([message, typedItem]);
/** The supported types of items. */
export const inputItemTypes: readonly string[] = ['message', ...typedItem.options.map(({ shape }) => shape.type.value)];

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: toolName,
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
});

const description = optional(z.string());

/** A tool whose input is text, which may have to follow a grammar. */
const customTool = z.looseObject({
  type: z.literal('custom'),
  name: anyName,
  description,
  format: optional(
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text') }),
      z.looseObject({ type: z.literal('grammar'), syntax: z.enum(['lark', 'regex']), definition: z.string() }),
    ]),
  ),
});
/** A group of functions and custom tools under a common name. */
const namespaceTool = z.looseObject({
  type: z.literal('namespace'),
  name: anyName,
  description,
  tools: z
    .array(
      z.discriminatedUnion('type', [
        z.looseObject({
          type: z.literal('function'),
          name: anyName,
          description,
          parameters: optional(z.record(z.string(), z.unknown())),
          strict: optional(z.boolean()),
        }),
        customTool,
      ]),
    )
    .max(128),
});
/** A search for tools that the caller performs. */
const toolSearchTool = z.looseObject({
  type: z.literal('tool_search'),
  execution: z.literal('client'),
  description,
  parameters: optional(z.record(z.string(), z.unknown())),
});
/** OpenAI's tools that run on the caller's machine. */
const shellTool = z.looseObject({
  type: z.literal('shell'),
  environment: optional(z.looseObject({ type: z.literal('local') })),
});
const localShellTool = z.looseObject({ type: z.literal('local_shell') });
const applyPatchTool = z.looseObject({ type: z.literal('apply_patch') });

const place = optional(z.string().max(100).nullable());

/** The provider's own web search. Other options of OpenAI's tool (domains, sources) are ignored. */
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

const namedTool = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['function', 'custom']), name: z.string().max(256), namespace: optional(z.string()) }),
  z.looseObject({ type: z.enum(['tool_search', 'local_shell', 'shell', 'apply_patch']) }),
]);
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    ...namedTool.options,
    z.object({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(namedTool).min(1),
    }),
  ]),
]);

/** Tools that the caller runs, and the provider's own web search. */
const clientTools = [functionTool, customTool, namespaceTool, toolSearchTool, shellTool, localShellTool] as const;

/** `POST /v1/responses`. */
export const responsesRequest = z
  .looseObject({
    ...gatewayFields,
    input: z.union([z.string().min(1), z.array(inputItem).min(1).max(10_000)]),
    instructions: optional(z.string()),
    max_output_tokens: optional(outputTokens),
    tools: optional(z.array(z.discriminatedUnion('type', [...clientTools, applyPatchTool, webSearchTool])).max(128)),
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
export type ResponsesTool = NonNullable<ResponsesRequest['tools']>[number];
export type NamedTool = z.output<typeof namedTool>;
export type ResponsesRequest = z.output<typeof responsesRequest>;
