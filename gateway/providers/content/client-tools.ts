import { asObject, asText } from '#shared/json/foreign-json.ts';

/**
 * Tools of the Responses API that the caller runs. A model is offered each as a function, since that's all that every vendor has; OpenAI's
 * own models get what the caller sent (docs/decisions/104-what-is-never-left-out.md).
 */
export interface ClientTool {
  readonly kind: 'function' | 'custom' | 'tool_search' | 'local_shell' | 'shell' | 'apply_patch';
  readonly name: string;
  readonly namespace: string | null;
  /** It takes a text by a grammar, which only OpenAI's own models are held to. */
  readonly isByGrammar?: boolean;
}

/** How the caller knows each function, by the function's name. Plain functions that keep their name aren't in it. */
export type ClientTools = ReadonlyMap<string, ClientTool>;

/** Where a request has its tools as OpenAI's own models take them, among the fields that only OpenAI knows. */
export const ownToolsField = 'client_tools';

export const noClientTools: ClientTools = new Map();

/** The function that a tool became; its own name where it is none of them. */
export function offeredName(tools: ClientTools, { kind, name, namespace }: ClientTool): string {
  for (const [offered, known] of tools) {
    if (known.kind === kind && known.name === name && known.namespace === namespace) return offered;
  }
  return name;
}

/** The only argument of a function in a custom tool's place. */
export const textField = 'input';

/** A custom tool's text as arguments of its function. */
export const textArguments = (text: string): string => JSON.stringify({ [textField]: text });

/** The text that a function's arguments hold. What a model wrote instead of an object is given as it is. */
export function textInput(json: string): string {
  try {
    return asText(asObject(JSON.parse(json))[textField]) ?? json;
  } catch {
    return json;
  }
}
