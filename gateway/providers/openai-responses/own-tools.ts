import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ToolCall } from '#shared/wire/chat-request.ts';
import { callFields } from '../content/call-fields.ts';
import { type ClientTool, type ClientTools, noClientTools, ownToolsField } from '../content/client-tools.ts';
import type { ProviderRequest } from '../provider.ts';

/** Tools of the caller's that OpenAI's models know by kinds of their own, back from the functions that they are everywhere else. */

/** As `offerTools` of `responses/offered-tools.ts` gives them. */
interface OwnTools {
  readonly definitions: ReadonlyMap<string, JsonObject>;
  readonly namespaces: ReadonlyMap<string, string>;
  /** Functions that the caller's search found: its output has them. */
  readonly loaded: ReadonlySet<string>;
  /** Functions that the caller's search is to find. */
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

/** A function as this API takes it. */
type Definition = JsonObject & { readonly name: string };

/** The functions with the tools that some of them stand for, namespaces where their first function stood. */
export function withOwnTools(functions: readonly Definition[], request: ProviderRequest): JsonObject[] {
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

/** A forced tool by its own name. */
export function ownChoice(name: string, { clientTools, openaiOnly }: ProviderRequest): JsonObject {
  const known = ownToolsField in openaiOnly ? clientTools?.get(name) : undefined;
  if (!known || known.kind === 'local_shell') return { type: 'function', name };
  if (known.kind === 'function' || known.kind === 'custom') return { type: known.kind, name: known.name };
  return { type: known.kind };
}

/** Items of calls and results, each in the form of its tool. */
export function createOwnItems(clientTools: ClientTools = noClientTools) {
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
          const said = Array.isArray(output) ? output : [{ stdout: text, stderr: '', outcome }];
          return { type: 'shell_call_output', call_id: callId, output: said };
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
