import { asArray, asObject, isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { requestLimits } from '../json/json-limits.ts';
import { parseWithin } from '../json/parse-json.ts';
import { type ClientTool, textInput } from './client-tools.ts';

/** What an item of the Responses API says of a call, beside its id and status. `json`: the arguments of the call's function. */
export function callFields({ kind, name, namespace }: ClientTool, callId: string, json: string): JsonObject {
  const named = namespace === null ? { name } : { name, namespace };
  if (kind === 'function') return { type: 'function_call', call_id: callId, ...named, arguments: json };
  if (kind === 'custom') return { type: 'custom_tool_call', call_id: callId, ...named, input: textInput(json) };
  const given = argumentsObject(json);
  switch (kind) {
    case 'tool_search':
      return { type: 'tool_search_call', call_id: callId, execution: 'client', arguments: given };
    case 'local_shell': {
      const { command, env, ...rest } = given;
      const action = { type: 'exec', command: asArray(command), env: asObject(env), ...rest };
      return { type: 'local_shell_call', call_id: callId, action };
    }
    case 'shell': {
      const { commands, timeout_ms = null, max_output_length = null } = given;
      const action = { commands: asArray(commands), timeout_ms, max_output_length };
      return { type: 'shell_call', call_id: callId, action, environment: { type: 'local' } };
    }
    case 'apply_patch': {
      const { type = 'update_file', path = '', diff } = given;
      const operation = { type, path, ...(type === 'delete_file' ? {} : { diff: diff ?? '' }) };
      return { type: 'apply_patch_call', call_id: callId, operation };
    }
  }
}

/** A call's arguments. Those that are no JSON object are kept under a name that no tool has, as Anthropic does it: nobody runs the call without them. */
export function argumentsObject(json: string): JsonObject {
  if (json.trim() === '') return {};
  const value = parseWithin(json, requestLimits);
  return isObject(value) ? value : { INVALID_JSON: json };
}
