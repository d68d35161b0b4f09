import { asObject, isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseWithin } from '../../runtime/json/parse-json.ts';
import { type ClientTool, textInput } from './client-tools.ts';

/**
 * Returns the fields of a Responses API item for a tool call, except its id and status. `json`: the arguments of the
 * call's function.
 */
export function callFields({ kind, name, namespace }: ClientTool, callId: string, json: string): JsonObject {
  const named = namespace === null ? { name } : { name, namespace };
  if (kind === 'function') return { type: 'function_call', call_id: callId, ...named, arguments: json };
  if (kind === 'custom') return { type: 'custom_tool_call', call_id: callId, ...named, input: textInput(json) };
  const given = argumentsObject(json);
  switch (kind) {
    case 'tool_search':
      return { type: 'tool_search_call', call_id: callId, execution: 'client', arguments: given };
    case 'local_shell':
      return { type: 'local_shell_call', call_id: callId, action: withDefaults(given, localShellDefaults) };
    case 'shell': {
      const action = withDefaults(given, shellDefaults);
      return { type: 'shell_call', call_id: callId, action, environment: { type: 'local' } };
    }
    case 'apply_patch': {
      const defaults = given.type === 'delete_file' ? patchDefaults : { ...patchDefaults, diff: '' };
      return { type: 'apply_patch_call', call_id: callId, operation: withDefaults(given, defaults) };
    }
  }
}

/** Fields that OpenAI's items always have, but a model may leave out. */
const localShellDefaults: JsonObject = { type: 'exec', command: [], env: {} };
const shellDefaults: JsonObject = { commands: [], timeout_ms: null, max_output_length: null };
const patchDefaults: JsonObject = { type: 'update_file', path: '' };

/** The model's own fields keep their order, because some vendors sign them. */
const withDefaults = (given: JsonObject, defaults: JsonObject): JsonObject => ({
  ...given,
  ...Object.fromEntries(Object.entries(defaults).filter(([name]) => given[name] == null)),
});

/**
 * Returns the arguments that the model wrote, from an item's action or operation: its fields without the defaults that
 * `callFields` added.
 */
export const argumentsOfAction = (action: JsonObject): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(action).filter(([name, value]) => {
        const isAdded = value === null || (name === 'type' && value === 'exec');
        return !isAdded && !(name === 'env' && Object.keys(asObject(value)).length === 0);
      }),
    ),
  );

/**
 * Parses a call's arguments. Text that isn't a JSON object is kept under a name that no tool has, as Anthropic does it,
 * so that no tool runs without the arguments it was meant to get.
 */
export function argumentsObject(json: string): JsonObject {
  if (json.trim() === '') return {};
  const value = parseWithin(json, requestLimits);
  return isObject(value) ? value : { INVALID_JSON: json };
}
