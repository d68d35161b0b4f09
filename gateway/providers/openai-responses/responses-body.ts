import { createHash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ChatMessage, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { callFields } from '../content/call-fields.ts';
import { type ClientTool, type ClientTools, noClientTools, ownToolsField } from '../content/client-tools.ts';
import { messageText } from '../content/conversation-shape.ts';
import { functionSchema } from '../content/function-schema.ts';
import { openAiFields } from '../openai-compatible/completion-body.ts';
import type { ProviderRequest } from '../provider.ts';
import { getReasoning } from './reasoning-state.ts';

/**
 * The caller's tools for which OpenAI's models have their own kinds. For other models they are functions; here the
 * functions become tools of these kinds again.
 */

/** The tools in the form in which `offerTools` of `responses/offered-tools.ts` passes them. */
interface OwnTools {
  readonly definitions: ReadonlyMap<string, JsonObject>;
  readonly namespaces: ReadonlyMap<string, string>;
  /** Functions that the caller's tool search has found. They are part of its output. */
  readonly loaded: ReadonlySet<string>;
  /** Functions that the caller's tool search may find. */
  readonly deferred: ReadonlySet<string>;
}

function ownToolsIn({ openaiOnly }: Pick<ProviderRequest, 'openaiOnly'>): OwnTools | null {
  const given = openaiOnly[ownToolsField];
  if (given === undefined) return null;
  const { definitions, namespaces, loaded, deferred } = asObject(given);
  return {
    definitions: new Map(pairsIn(definitions).map(([name, value]) => [name, asObject(value)])),
    namespaces: new Map(pairsIn(namespaces).map(([name, value]) => [name, asText(value) ?? ''])),
    loaded: new Set(asArray(loaded).map(String)),
    deferred: new Set(asArray(deferred).map(String)),
  };
}

const pairsIn = (value: unknown): [string, unknown][] =>
  asArray(value).map((pair) => [String(asArray(pair)[0]), asArray(pair)[1]]);

/** A function definition of the Responses API. */
type Definition = JsonObject & { readonly name: string };

/** Replaces functions by the tools that they stand for. A namespace takes the place of its first function. */
function withOwnTools(functions: readonly Definition[], request: ProviderRequest): JsonObject[] {
  const own = ownToolsIn(request);
  if (!own) return [...functions];
  const tools: JsonObject[] = [];
  const groups = new Map<string, JsonObject[]>();
  for (const definition of functions) {
    if (own.loaded.has(definition.name)) continue;
    const known = request.clientTools?.get(definition.name);
    const plain = own.definitions.get(definition.name) ?? { ...definition, name: known?.name ?? definition.name };
    const tool = own.deferred.has(definition.name) ? { ...plain, defer_loading: true } : plain;
    const namespace = known?.namespace ?? null;
    const group = namespace === null ? undefined : groups.get(namespace);
    if (namespace === null) tools.push(tool);
    else if (group) group.push(tool);
    else {
      const members = [tool];
      groups.set(namespace, members);
      tools.push({
        type: 'namespace',
        name: namespace,
        description: own.namespaces.get(namespace) ?? '',
        tools: members,
      });
    }
  }
  return tools;
}

/** Forces a tool under its own kind and name. */
function ownChoice(name: string, { clientTools, openaiOnly }: ProviderRequest): JsonObject {
  const known = ownToolsField in openaiOnly ? clientTools?.get(name) : undefined;
  if (!known || known.kind === 'local_shell') return { type: 'function', name };
  if (known.kind === 'function' || known.kind === 'custom') return { type: known.kind, name: known.name };
  return { type: known.kind };
}

/** Creates the items of calls and results, each in the form of its tool. */
function createOwnItems(clientTools: ClientTools = noClientTools) {
  const called = new Map<string, ClientTool>();
  return {
    call({ id, function: { name, arguments: json } }: ToolCall, callId: string): JsonObject {
      const tool = clientTools.get(name);
      if (!tool || tool.kind === 'local_shell') {
        return { type: 'function_call', call_id: callId, name, arguments: json };
      }
      called.set(id, tool);
      const done = tool.kind === 'function' || tool.kind === 'custom' ? {} : { status: 'completed' };
      return { ...callFields(tool, callId, json), ...done };
    },
    result(id: string, callId: string, text: string, failed: boolean): JsonObject {
      switch (called.get(id)?.kind) {
        case 'custom':
          return { type: 'custom_tool_call_output', call_id: callId, output: text };
        case 'tool_search': {
          const tools = asArray(asObject(parsed(text)).tools);
          return { type: 'tool_search_output', call_id: callId, execution: 'client', status: 'completed', tools };
        }
        case 'shell': {
          const output = parsed(text);
          const outcome = { type: 'exit', exit_code: failed ? 1 : 0 };
          const chunks = Array.isArray(output) ? output : [{ stdout: text, stderr: '', outcome }];
          return { type: 'shell_call_output', call_id: callId, output: chunks };
        }
        case 'apply_patch': {
          const status = failed ? 'failed' : 'completed';
          return { type: 'apply_patch_call_output', call_id: callId, status, output: text };
        }
        default:
          return { type: 'function_call_output', call_id: callId, output: text };
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Converts a conversation to items of the Responses API. `thinker`: the model whose earlier reasoning is sent back;
 * null to send none back.
 */
function inputItems(messages: readonly ChatMessage[], thinker: string | null, clientTools?: ClientTools): object[] {
  const own = createOwnItems(clientTools);
  return messages.flatMap((message) => getItems(message, thinker, own));
}

type OwnItems = ReturnType<typeof createOwnItems>;

function getItems(message: ChatMessage, thinker: string | null, own: OwnItems): object[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ role: 'developer', content: messageText(message) }];
    case 'user':
      return [{ role: 'user', content: getContent(message.content) }];
    case 'assistant':
      return assistantItems(message, thinker, own);
    case 'tool': {
      const { tool_call_id: id, is_error: failed } = message;
      return [own.result(id, callId(id), messageText(message), failed === true)];
    }
  }
}

/** The reasoning before the first call also came before the text. */
function assistantItems(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  thinker: string | null,
  own: OwnItems,
): object[] {
  const text = messageText(message);
  const calls = message.tool_calls ?? [];
  const thoughts = calls.map((call) => (thinker === null ? [] : getReasoning(call, thinker)));
  return [
    ...(thoughts[0] ?? []),
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...calls.flatMap((call, index) => [...(index > 0 ? (thoughts[index] ?? []) : []), own.call(call, callId(call.id))]),
  ];
}

/**
 * OpenAI refuses longer ids, even its own (https://github.com/V1ki/dsh-plugin-subscriptions/issues/29, read
 * 2026-11-22).
 */
const maxCallId = 64;

/** Shortens a long id, always to the same one. */
const callId = (id: string) =>
  id.length <= maxCallId ? id : `call_${createHash('sha256').update(id).digest('base64url')}`;

const getContent = (content: string | readonly ContentPart[]): string | object[] =>
  typeof content === 'string' ? content : content.map(getPart);

function getPart(part: ContentPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url': {
      const { url, detail } = part.image_url;
      return { type: 'input_image', image_url: url, detail: detail ?? 'auto' };
    }
    case 'file': {
      const { filename = 'document.pdf', file_data } = part.file;
      return { type: 'input_file', filename, file_data };
    }
    case 'input_audio':
      throw new AppError('unsupported_modality', "OpenAI's Responses API does not take audio input.", {
        param: 'messages',
      });
  }
}

type Parameters = ProviderRequest['parameters'];

/**
 * Features that OpenAI doesn't give to every organisation. They are requested until OpenAI refuses them
 * (`openai/openai.ts`).
 */
export interface Extras {
  /** Summaries of the model's thinking. */
  readonly summary: boolean;
  /** The model's own earlier reasoning, encrypted. */
  readonly reasoning: boolean;
}

/** The body of `POST /responses`. OpenAI is asked to store nothing. */
export function responsesBody(request: ProviderRequest, { summary, reasoning }: Extras): object {
  const { parameters, model, maxTokens } = request;
  const { temperature, top_p, user } = parameters;
  const { verbosity, ...fields } = openAiFields(request.openaiOnly);
  const format = getFormat(parameters);
  const text = { ...(format ? { format } : {}), ...(verbosity === undefined ? {} : { verbosity }) };
  return {
    ...fields,
    model,
    input: inputItems(request.messages, reasoning ? model : null, request.clientTools),
    stream: !request.nonStreaming,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...reasoningField(request, summary),
    ...(Object.keys(text).length > 0 ? { text } : {}),
    ...toolFields(request),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(user === undefined ? {} : { user }),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
  };
}

/** A summary is requested only if the model thinks. */
function reasoningField({ parameters, facts }: ProviderRequest, summary: boolean): object {
  const { reasoning_effort: effort } = parameters;
  const byDefault = facts?.thinking.by === 'effort' && facts.thinking.byDefault;
  const thinks = effort === undefined ? byDefault : effort !== 'none';
  const reasoning = {
    ...(effort === undefined ? {} : { effort }),
    ...(summary && thinks ? { summary: 'auto' } : {}),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

function getFormat({ response_format: format }: Parameters): object | null {
  if (!format || format.type === 'text') return null;
  return format.type === 'json_object' ? { type: 'json_object' } : { type: 'json_schema', ...format.json_schema };
}

/** Functions are strict in this API unless the request sets `strict: false`. */
function toolFields(request: ProviderRequest): object {
  const { parameters, facts } = request;
  const { tools = [], tool_choice: choice, parallel_tool_calls: parallel, web_search_options: search } = parameters;
  if (tools.length === 0 && !search) return {};
  const functions = tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    parameters: functionSchema(parameters),
    strict: strict ?? false,
  }));
  const own = withOwnTools(functions, request);
  const maxSearches = facts?.webSearch?.max;
  return {
    tools: search ? [...own, webSearchTool(search)] : own,
    ...(search && maxSearches !== undefined ? { max_tool_calls: maxSearches } : {}),
    ...(choice === undefined
      ? {}
      : { tool_choice: typeof choice === 'object' ? ownChoice(choice.function.name, request) : choice }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
}

/** OpenAI's own web search (https://developers.openai.com/api/docs/guides/tools-web-search, read 2026-11-23). */
function webSearchTool(options: NonNullable<Parameters['web_search_options']>): object {
  const { search_context_size: size, user_location: location } = options;
  return {
    type: 'web_search',
    ...(size === undefined ? {} : { search_context_size: size }),
    // Without a location, OpenAI assumes the United States.
    user_location: { type: 'approximate', ...location?.approximate },
  };
}
