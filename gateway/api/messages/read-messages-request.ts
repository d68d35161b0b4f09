import { createHash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { countTokensRequest, type MessagesRequest, messagesRequest } from '#shared/wire/messages-request.ts';
import { parseRequest, refuseFields, unknownWarnings } from '../chat/check-fields.ts';
import { budgetAsEffort, effortForBudget } from '../chat/openrouter-fields.ts';
import { turnsInForm } from '../chat/placed-turns.ts';
import { type Translate, translatedReader } from '../chat/translated-request.ts';
import { marked, turnsOfMessages } from './message-turns.ts';

/**
 * Anthropic's tools that the client runs, as functions that every model can call. Name and input are Anthropic's own,
 * so the client's code for them works unchanged
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool, text-editor-tool and memory-tool, read
 * 2026-11-27).
 */

const text = { type: 'string' };
const count = { type: 'integer' };
const range = { type: 'array', items: count, description: 'The first and the last line to view; -1 is the end.' };

const getSchema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const commands = (...names: string[]): JsonObject => ({ type: 'string', enum: names });

const fileFields = {
  path: text,
  view_range: range,
  file_text: { ...text, description: 'The content of a file to create.' },
  old_str: { ...text, description: 'The text to replace, which must be in the file once.' },
  new_str: text,
  insert_line: { ...count, description: 'The line after which to insert; 0 is the beginning.' },
  insert_text: text,
};

interface Described {
  readonly description: string;
  readonly schema: JsonObject;
}

const editor = (...more: string[]): Described => ({
  description: 'Views, creates and edits text files, and lists folders.',
  schema: getSchema({ command: commands('view', 'create', 'str_replace', 'insert', ...more), ...fileFields }, [
    'command',
    'path',
  ]),
});

const known: readonly (readonly [type: RegExp, tool: Described])[] = [
  [
    /^bash_\d{8}$/,
    {
      description: 'Runs commands in a bash session that keeps its state.',
      schema: getSchema({ command: text, restart: { type: 'boolean', description: 'Starts a new session.' } }, []),
    },
  ],
  [/^text_editor_(?:20241022|20250124)$/, editor('undo_edit')],
  [/^text_editor_\d{8}$/, editor()],
  [
    /^memory_\d{8}$/,
    {
      description: 'Views, creates, edits, renames and deletes files of a memory below /memories.',
      schema: getSchema(
        {
          command: commands('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
          ...fileFields,
          old_path: text,
          new_path: text,
        },
        ['command'],
      ),
    },
  ],
];

const described = (tool: JsonObject): Described | undefined => {
  const type = asText(tool.type) ?? '';
  return known.find(([pattern]) => pattern.test(type))?.[1];
};

/** True for a tool of Anthropic's that runs on the client's machine. */
const isClientRun = (tool: JsonObject): boolean => described(tool) !== undefined;

/** Anthropic's own web search, which becomes the vendor's own for every model. */
const isWebSearch = ({ type }: JsonObject): boolean => /^web_search_\d{8}$/.test(asText(type) ?? '');

/** Replaces such tools in the body by functions. Returns the same body if it has none. */
function withClientRunTools(body: JsonObject): JsonObject {
  const tools = asArray(body.tools).map(asObject);
  if (!tools.some((tool) => isClientRun(tool) || isWebSearch(tool))) return body;
  const offered = tools.filter((tool) => !isWebSearch(tool));
  return {
    ...body,
    tools: offered.map((tool) => {
      const own = described(tool);
      if (!own) return tool;
      const { name, cache_control } = tool;
      return { name, description: own.description, input_schema: own.schema, cache_control };
    }),
  };
}

/**
 * The types of content blocks that this gateway accepts. The error for any other type names the nearest alternative.
 */

const servedBlocks = new Set([
  ...[
    'text',
    'image',
    'document',
    'search_result',
    'tool_use',
    'tool_result',
    'thinking',
    'redacted_thinking',
    'tool_reference',
  ],
]);

/** Throws `unsupported_parameter` or `unsupported_tool_type` for features that only Anthropic's own servers have. */
function refuseUnserved(body: JsonObject): void {
  refuseFields(body, 'messages');
  for (const [index, tool] of asArray(body.tools).entries()) checkTool(asObject(tool), `tools[${index}]`);
  for (const [index, message] of asArray(body.messages).entries()) {
    checkBlocks(asArray(asObject(message).content), `messages[${index}].content`);
  }
}

function checkTool(tool: JsonObject, path: string): void {
  const type = asText(tool.type);
  if (isWebSearch(tool)) checkSearch(tool, path);
  if (type === null || type === 'custom' || isClientRun(tool) || isWebSearch(tool)) return;
  throw new AppError(
    'unsupported_tool_type',
    `Tools of the type "${type.slice(0, 64)}" are not known here. Offer a tool with an "input_schema" of your own and run it yourself.`,
    { param: `${path}.type` },
  );
}

/** Results from other pages than the request allows would be another answer, so such a limit is refused. */
function checkSearch(tool: JsonObject, path: string): void {
  for (const name of ['allowed_domains', 'blocked_domains']) {
    if (asArray(tool[name]).length === 0) continue;
    const message = `"${name}" is not supported here: leave it out, or name the pages in your message.`;
    throw new AppError('unsupported_parameter', message, { param: `${path}.${name}` });
  }
}

/** Returns the options of a chat completion for the web search that the request offers; undefined if it offers none. */
function searchOptions(body: JsonObject): JsonObject | undefined {
  const tool = asArray(body.tools).map(asObject).find(isWebSearch);
  if (!tool) return undefined;
  const { type: _type, ...place } = asObject(tool.user_location);
  return Object.keys(place).length === 0 ? {} : { user_location: { type: 'approximate', approximate: place } };
}

/** The number of searches is the vendor's or the gateway's own. */
const searchWarnings = (body: JsonObject): Warning[] =>
  asArray(body.tools).some((tool) => isWebSearch(asObject(tool)) && asObject(tool).max_uses != null)
    ? [
        {
          code: 'parameter_dropped',
          param: 'tools',
          message: '"max_uses" of web search is not supported here; it was left out.',
        },
      ]
    : [];

function checkBlocks(blocks: readonly unknown[], path: string): void {
  for (const [index, value] of blocks.entries()) {
    const block = asObject(value);
    const type = asText(block.type);
    if (type !== null && !servedBlocks.has(type)) {
      const message = `Blocks of the type "${type.slice(0, 64)}" cannot be read here; text, pictures, documents, tool calls, their results and thinking can.`;
      throw new AppError('unsupported_parameter', message, { param: `${path}[${index}].type` });
    }
    if (type === 'tool_result') checkBlocks(asArray(block.content), `${path}[${index}].content`);
  }
}

/** Returns warnings for the fields that are ignored. */
function droppedFields({ top_k: topK, service_tier: tier }: MessagesRequest): Warning[] {
  const drop = (param: string): Warning => ({
    code: 'parameter_dropped',
    param,
    message: `"${param}" is not supported here; it was left out.`,
  });
  return [
    ...(topK === undefined ? [] : [drop('top_k')]),
    ...(tier === undefined || tier === 'auto' ? [] : [drop('service_tier')]),
  ];
}

/**
 * Returns the requested amount of thinking as an effort, which every provider supports; undefined if the request
 * doesn't mention thinking.
 */
function getEffort({ thinking, output_config: config }: MessagesRequest): {
  readonly effort: string | undefined;
  readonly warnings: readonly Warning[];
} {
  const { effort } = config ?? {};
  switch (thinking?.type) {
    case undefined:
      return { effort, warnings: [] };
    case 'disabled':
      return { effort: 'none', warnings: [] };
    case 'enabled': {
      const found = effort ?? effortForBudget(thinking.budget_tokens);
      return { effort: found, warnings: [budgetAsEffort('thinking.budget_tokens', found)] };
    }
    default:
      // "high" is Anthropic's own default (https://platform.claude.com/docs/en/build-with-claude/effort, read
      // 2026-11-22).
      return { effort: effort ?? 'high', warnings: [] };
  }
}

/** Reads `POST /v1/messages`. */
export const messagesReader = translatedReader('messages', translateWith(messagesRequest));

/** Reads `POST /v1/messages/count_tokens`, which needs no `max_tokens`. */
export const countTokensReader = translatedReader('count_tokens', translateWith(countTokensRequest));

function translateWith(schema: typeof messagesRequest | typeof countTokensRequest): Translate {
  return (given, strict) => {
    refuseUnserved(given);
    const body = withClientRunTools(given);
    const search = searchOptions(given);
    const request: MessagesRequest = parseRequest(schema, body);
    const turns = turnsInForm(turnsOfMessages(request));
    const { effort, warnings } = getEffort(request);
    const { thinking } = request;
    const hidesThinking = thinking !== undefined && 'display' in thinking && thinking.display === 'omitted';
    return {
      body: {
        ...completionFields(request),
        ...(search ? { web_search_options: search } : {}),
        ...(effort === undefined ? {} : { reasoning_effort: effort }),
        messages: turns.map(({ message }) => message),
      },
      warnings: [
        ...warnings,
        ...searchWarnings(given),
        ...droppedFields(request),
        ...unknownWarnings(body, schema.shape, strict),
      ],
      echo: { short: { hidesThinking }, long: {} },
      places: turns.map(({ place }) => place),
      isMessages: true,
    };
  };
}

/** Fields with the same name and meaning in both APIs. */
const sameNames = ['provider', 'model', 'temperature', 'top_p', 'stream', 'session_id', 'route', 'max_tokens'] as const;

function completionFields(request: MessagesRequest): JsonObject {
  const { tools, tool_choice: choice, output_config: config, metadata, stop_sequences: stop } = request;
  const format = config?.format ?? request.output_format;
  const asked = {
    ...Object.fromEntries(sameNames.map((name) => [name, request[name]])),
    stop: stop && stop.length > 0 ? stop : undefined,
    user: endUser(metadata?.user_id),
    tools:
      tools?.length === 0
        ? undefined
        : tools?.map(({ name, description, input_schema, strict, cache_control: mark }) => ({
            type: 'function',
            function: { name, description, parameters: input_schema, strict },
            ...marked(mark),
          })),
    ...getChoice(choice),
    response_format: format && {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: format.schema, strict: true },
    },
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

const maxUser = 256;

/** Replaces a long name by its hash, which still identifies the user. */
const endUser = (id: string | undefined) =>
  id !== undefined && id.length > maxUser ? createHash('sha256').update(id).digest('hex') : id;

const words = { auto: 'auto', any: 'required', none: 'none' } as const;

function getChoice(choice: MessagesRequest['tool_choice']): JsonObject {
  if (choice === undefined) return {};
  const isSingle = 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true;
  const tool_choice =
    choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : words[choice.type];
  return { tool_choice, ...(isSingle ? { parallel_tool_calls: false } : {}) };
}
