import { asObject, asText } from '#shared/json/foreign-json.ts';

/**
 * A tool of the Responses API that the caller runs. Models are offered it as a function, because that's the only kind
 * of tool that every vendor has. OpenAI's own models get the tool as the caller sent it
 * (docs/decisions/104-what-is-never-left-out.md).
 */
export interface ClientTool {
  readonly kind: 'function' | 'custom' | 'tool_search' | 'local_shell' | 'shell' | 'apply_patch';
  readonly name: string;
  readonly namespace: string | null;
  /** The tool takes a text that follows a grammar. Only OpenAI's own models enforce the grammar. */
  readonly isByGrammar?: boolean;
}

/**
 * The caller's tool behind each function, by the function's name. Plain functions that keep their name aren't listed.
 */
export type ClientTools = ReadonlyMap<string, ClientTool>;

/**
 * Name of the field that holds the tools in OpenAI's own format. It's one of the fields that only OpenAI's models get.
 */
export const ownToolsField = 'client_tools';

export const noClientTools: ClientTools = new Map();

/** Returns the name of the function that stands for a tool, or the tool's own name if no function does. */
export function offeredName(tools: ClientTools, { kind, name, namespace }: ClientTool): string {
  for (const [offered, known] of tools) {
    if (known.kind === kind && known.name === name && known.namespace === namespace) return offered;
  }
  return name;
}

/** Name of the only argument of a function that stands for a custom tool. */
export const textField = 'input';

/** Wraps a custom tool's text as the arguments of its function. */
export const textArguments = (text: string): string => JSON.stringify({ [textField]: text });

/**
 * Reads a custom tool's text from its function's arguments. If the model wrote anything else, it's returned unchanged.
 */
export function textInput(json: string): string {
  try {
    return asText(asObject(JSON.parse(json))[textField]) ?? json;
  } catch {
    return json;
  }
}
