import { asText } from '#shared/json/foreign-json.ts';
import type { InputItem, InputPart } from '#shared/wire/responses-request.ts';
import { argumentsOfAction } from '../../providers/content/call-fields.ts';
import { type ClientTool, textArguments } from '../../providers/content/client-tools.ts';

/** Reads client-run tool calls and their results, in each of the forms that items have for them, as function calls. */

/** A call in an earlier answer. */
export interface EarlierCall {
  readonly tool: ClientTool;
  readonly id: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
}

/** The result of a call. */
export interface EarlierResult {
  readonly id: string;
  readonly output: string | readonly InputPart[];
  readonly failed?: boolean;
}

/** Returns the call that an item contains; null if it's no call. */
export function callIn(item: InputItem): EarlierCall | null {
  switch (item.type) {
    case 'function_call': {
      const { name, namespace = null, call_id: id, arguments: text } = item;
      return { tool: { kind: 'function', name, namespace }, id, arguments: text };
    }
    case 'custom_tool_call': {
      const { name, namespace = null, call_id: id, input } = item;
      return { tool: { kind: 'custom', name, namespace }, id, arguments: textArguments(input) };
    }
    case 'tool_search_call': {
      const { call_id: id, arguments: asked } = item;
      if (id === undefined) return null;
      return { tool: local('tool_search'), id, arguments: typeof asked === 'string' ? asked : json(asked) };
    }
    case 'local_shell_call':
      return { tool: local('local_shell'), id: item.call_id, arguments: argumentsOfAction(item.action) };
    case 'shell_call':
      return { tool: local('shell'), id: item.call_id, arguments: argumentsOfAction(item.action) };
    case 'apply_patch_call':
      return { tool: local('apply_patch'), id: item.call_id, arguments: argumentsOfAction(item.operation) };
    default:
      return null;
  }
}

/**
 * Returns the result that an item contains; null if it's no result. `callIds`: ids of calls by the ids of their items.
 */
export function resultIn(item: InputItem, callIds: ReadonlyMap<string, string>): EarlierResult | null {
  switch (item.type) {
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { id: item.call_id, output: item.output };
    case 'tool_search_output':
      return item.call_id === undefined ? null : { id: item.call_id, output: json({ tools: item.tools }) };
    case 'local_shell_call_output': {
      const id = item.call_id ?? item.id ?? '';
      return { id: callIds.get(id) ?? id, output: item.output };
    }
    case 'shell_call_output':
      return { id: item.call_id, output: json(item.output) };
    case 'apply_patch_call_output': {
      const failed = item.status === 'failed';
      return { id: item.call_id, output: item.output ?? (failed ? 'Failed.' : 'Done.'), failed };
    }
    default:
      return null;
  }
}

/** Maps item ids to call ids, because a local shell's result may name either. */
export const callIdsIn = (items: readonly InputItem[]): ReadonlyMap<string, string> =>
  new Map(
    items.flatMap((item) => {
      const id = item.type === 'local_shell_call' ? asText(item.id) : null;
      return id === null || item.type !== 'local_shell_call' ? [] : [[id, item.call_id] as const];
    }),
  );

const local = (kind: Exclude<ClientTool['kind'], 'function' | 'custom'>): ClientTool => ({
  kind,
  name: kind,
  namespace: null,
});

const json = (value: unknown) => JSON.stringify(value ?? {});
