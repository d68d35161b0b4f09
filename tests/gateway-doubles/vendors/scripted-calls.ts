import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';

/**
 * One way to do a step: a tool and its input. An input that is text is for a custom tool, or for a
 * function that replaces it.
 */
type Choice = readonly [tool: RegExp, input: object | string];

/** A step that a double takes with the first of these tools that the request offers. */
export class ScriptedCall {
  readonly choices: readonly Choice[];

  constructor(...choices: Choice[]) {
    this.choices = choices;
  }
}

export interface OfferedTool {
  readonly name: string;
  readonly type: string;
  readonly namespace?: string;
}

/** Returns the tool and the input of a step. A step without a script uses the first tool. */
export function calledTool(
  step: object | undefined,
  offered: readonly OfferedTool[],
): { readonly tool: OfferedTool; readonly input: object | string } {
  const [first] = offered;
  if (!(step instanceof ScriptedCall)) {
    return { tool: first ?? { name: 'none', type: 'function' }, input: step ?? {} };
  }
  for (const [pattern, input] of step.choices) {
    const tool = offered.find(({ name }) => pattern.test(name));
    if (tool) return { tool, input: typeof input === 'string' && tool.type === 'function' ? { input } : input };
  }
  throw new Error(`the double was offered none of its tools, but ${offered.map(({ name }) => name).join(', ')}`);
}

/** Returns the tools of a Responses API request, including those in namespaces. */
export const responsesTools = (tools: unknown): OfferedTool[] =>
  asArray(tools)
    .map(asObject)
    .flatMap((tool): OfferedTool[] => {
      const namespace = asText(tool.name) ?? '';
      if (tool.type === 'namespace') return responsesTools(tool.tools).map((inner) => ({ ...inner, namespace }));
      const type = asText(tool.type) ?? '';
      return [{ name: asText(tool.name) ?? type, type }];
    });

/** Formats a call in the form that its tool requires. */
export function getCallItem({ tool, input }: ReturnType<typeof calledTool>, id: string): JsonObject {
  const named = { name: tool.name, ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }) };
  const call = { call_id: `call_${id}`, status: 'completed' };
  switch (tool.type) {
    case 'custom':
      return { type: 'custom_tool_call', id: `ctc_${id}`, ...call, ...named, input };
    case 'tool_search':
      return { type: 'tool_search_call', id: `tsc_${id}`, ...call, execution: 'client', arguments: input };
    case 'shell':
      return { type: 'shell_call', id: `sh_${id}`, ...call, action: input };
    case 'apply_patch':
      return { type: 'apply_patch_call', id: `apc_${id}`, ...call, operation: input };
    default:
      return { type: 'function_call', id: `fc_${id}`, ...call, ...named, arguments: JSON.stringify(input) };
  }
}
