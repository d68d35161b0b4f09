import { createHash } from 'node:crypto';
import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { NamedTool, ResponsesTool } from '#shared/wire/responses-request.ts';
import type { ClientTool, ClientTools } from '../../providers/content/client-tools.ts';
import { textFunction } from '../chat/tools/text-function.ts';

/**
 * Functions that replace the tools which OpenAI describes to its own models itself. Their arguments are the `action` or
 * `operation` of OpenAI's items (https://developers.openai.com/api/docs/guides/tools-shell, tools-apply-patch,
 * tools-local-shell and tools-tool-search, read 2026-11-27).
 */

const text = { type: 'string' };
const count = { type: 'integer' };

const localFunctions = {
  tool_search: {
    description: 'Finds further tools that can be called.',
    parameters: { type: 'object', properties: { query: text }, required: ['query'], additionalProperties: false },
  },
  local_shell: {
    description: "Runs one command on the user's machine, without a shell around it.",
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'array', items: text, description: 'The program and its arguments.' },
        working_directory: text,
        timeout_ms: count,
        env: { type: 'object', additionalProperties: text, description: 'Environment variables.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
  },
  shell: {
    description: "Runs commands in a shell on the user's machine and returns what each prints.",
    parameters: {
      type: 'object',
      properties: {
        commands: { type: 'array', items: text, description: 'Commands, which may run at the same time.' },
        timeout_ms: count,
        max_output_length: { ...count, description: 'Characters of output for each command.' },
      },
      required: ['commands'],
      additionalProperties: false,
    },
  },
  apply_patch: {
    description: 'Creates, updates or deletes one file.',
    parameters: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text,
        diff: {
          ...text,
          description:
            'A V4A diff: hunks that begin with "@@", lines that begin with " " (kept), "-" (removed) or "+" (added). Of a new file every line begins with "+". Nothing for delete_file.',
        },
      },
      required: ['type', 'path'],
      additionalProperties: false,
    },
  },
} as const;

/** The caller's tools as functions, and in the form for OpenAI's own models. */
export interface OfferedTools {
  /** In the form of a chat completion. */
  readonly functions: readonly JsonObject[];
  readonly clientTools: ClientTools;
  /** For OpenAI's own models (`responses-body.ts`). */
  readonly own: JsonObject;
}

/**
 * `found`: tools that only a tool search found. `called`: tools of earlier calls, which may not be offered any more.
 */
export function offerTools(
  tools: readonly ResponsesTool[],
  found: readonly JsonObject[],
  called: readonly ClientTool[],
): OfferedTools {
  const members = tools.flatMap(getMembers);
  const names = createNames();
  const isPlain = ({ tool }: Member) => tool.kind === 'function' && tool.namespace === null;
  // Plain functions keep their names, whatever else is offered.
  for (const { tool } of [...members.filter(isPlain), ...members]) names.add(tool);
  for (const tool of called) names.add(tool);
  const loaded = found.flatMap((tool) => getMembers(tool as ResponsesTool)).map(({ tool }) => names.add(tool));
  const definitions = members.flatMap(({ tool, own }) => (own ? [[names.add(tool), own]] : []));
  const hasSearch = tools.some(({ type }) => type === 'tool_search');
  const deferred = members.flatMap(({ tool, isDeferred }) => (hasSearch && isDeferred ? [names.add(tool)] : []));
  const namespaces = tools.flatMap((tool) => (tool.type === 'namespace' ? [[tool.name, tool.description ?? '']] : []));
  return {
    functions: members.map(({ tool, getFunction }) => ({ type: 'function', function: getFunction(names.add(tool)) })),
    clientTools: names.clientTools(new Set(members.filter(({ isByGrammar }) => isByGrammar).map(({ tool }) => tool))),
    own: { definitions, namespaces, loaded, deferred },
  };
}

/** One tool that can be called. */
interface Member {
  readonly tool: ClientTool;
  readonly getFunction: (name: string) => JsonObject;
  /** OpenAI's own form of the tool, if that isn't a function. */
  readonly own?: JsonObject;
  readonly isByGrammar?: boolean;
  /** The model only sees the tool after the caller's tool search has found it. */
  readonly isDeferred?: boolean;
}

function getMembers(tool: ResponsesTool): Member[] {
  switch (tool.type) {
    case 'function':
      return [functionMember(tool, null)];
    case 'custom':
      return [customMember(tool, null)];
    case 'namespace':
      return tool.tools.map((inner) =>
        inner.type === 'function' ? functionMember(inner, tool.name) : customMember(inner, tool.name),
      );
    case 'tool_search': {
      const { description, parameters } = tool;
      const own = { type: 'tool_search', execution: 'client', description, parameters };
      return [localMember('tool_search', own, description, parameters)];
    }
    case 'shell':
      return [localMember('shell', { type: 'shell', environment: { type: 'local' } })];
    case 'apply_patch':
      return [localMember('apply_patch', { type: 'apply_patch' })];
    case 'local_shell':
      // Only one of OpenAI's models has this tool itself, so all models are offered the function.
      return [localMember('local_shell')];
    default:
      return [];
  }
}

interface GivenFunction {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: Record<string, unknown> | undefined;
  readonly strict?: boolean | undefined;
  readonly defer_loading?: unknown;
}

function functionMember(
  { name: given, description, parameters, strict, defer_loading }: GivenFunction,
  namespace: string | null,
): Member {
  const tool: ClientTool = { kind: 'function', name: given, namespace };
  const plain = parameters && asObject(withoutEncryption(parameters));
  return {
    tool,
    getFunction: (name) => ({ name, description, parameters: plain, strict }),
    isDeferred: defer_loading === true,
  };
}

type GivenCustom = Extract<ResponsesTool, { type: 'custom' }>;

function customMember(
  { name: given, description, format, defer_loading }: GivenCustom,
  namespace: string | null,
): Member {
  const grammar = format?.type === 'grammar' ? { syntax: format.syntax, definition: format.definition } : null;
  return {
    tool: { kind: 'custom', name: given, namespace },
    getFunction: (name) => textFunction(name, description ?? null, grammar),
    own: {
      type: 'custom',
      name: given,
      ...(description === undefined ? {} : { description }),
      ...(grammar ? { format: { type: 'grammar', ...grammar } } : {}),
    },
    isByGrammar: grammar !== null,
    isDeferred: defer_loading === true,
  };
}

function localMember(
  kind: keyof typeof localFunctions,
  own?: JsonObject,
  description: string = localFunctions[kind].description,
  parameters: JsonObject = localFunctions[kind].parameters,
): Member {
  return {
    tool: { kind, name: kind, namespace: null },
    getFunction: (name) => ({ name, description, parameters }),
    ...(own ? { own } : {}),
  };
}

/**
 * Removes the marks with which OpenAI encrypts parameters for its own clients. Otherwise only OpenAI's servers could
 * read them.
 */
function withoutEncryption(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutEncryption);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      if (name === 'encrypted' && typeof value === 'boolean') return [];
      if (name !== 'properties') return [[name, withoutEncryption(value)]];
      const inner = Object.entries(asObject(value)).map(([property, part]) => [property, withoutEncryption(part)]);
      return [[name, Object.fromEntries(inner)]];
    }),
  );
}

/** Maximum length of a name that every vendor accepts. */
const maxName = 64;

/** Gives each tool a unique name that every vendor accepts. The same tools always get the same names. */
function createNames() {
  const byKey = new Map<string, string>();
  const tools = new Map<string, ClientTool>();
  return {
    add(tool: ClientTool): string {
      const key = JSON.stringify([tool.kind, tool.namespace, tool.name]);
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const wanted = wantedName(tool);
      const pattern = tool.namespace === null ? forFunctions : byEveryVendor;
      const isFree = pattern.test(wanted) && !tools.has(wanted);
      const name = isFree ? wanted : `${shortened(wanted)}_${digest(key)}`;
      byKey.set(key, name);
      tools.set(name, tool);
      return name;
    },
    clientTools: (byGrammar: ReadonlySet<ClientTool>): ClientTools =>
      new Map(
        [...tools]
          .filter(([name, tool]) => tool.kind !== 'function' || tool.namespace !== null || tool.name !== name)
          .map(([name, tool]) => [name, byGrammar.has(tool) ? { ...tool, isByGrammar: true } : tool]),
      ),
  };
}

/** Names that the schema allows for a function, and names that Gemini accepts too, which don't begin with a digit. */
const forFunctions = /^[a-zA-Z0-9_-]{1,64}$/;
const byEveryVendor = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

const shortened = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .replace(/^(?![a-zA-Z_])/, '_')
    .slice(0, maxName - 9);

const digest = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 8);

/** OpenAI's namespace for tools without another namespace is left out of the name. */
function wantedName({ name, namespace }: ClientTool): string {
  if (namespace === null || namespace === 'functions') return name;
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`;
}

/** Returns the tool that a choice names. */
export function namedTool(choice: NamedTool): ClientTool {
  if (choice.type !== 'function' && choice.type !== 'custom') {
    return { kind: choice.type, name: choice.type, namespace: null };
  }
  return { kind: choice.type, name: String(choice.name), namespace: asText(choice.namespace) };
}
