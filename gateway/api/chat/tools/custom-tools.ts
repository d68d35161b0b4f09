import { z } from 'zod';
import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { CustomToolCall, ToolCall } from '#shared/wire/chat-request.ts';
import type { CustomTools } from '../../../engine/answer.ts';
import { requestError } from '../../../http/request-error.ts';
import { textArguments, textInput } from '../../../providers/content/client-tools.ts';
import type { DeltaPart } from '../stream-writer.ts';
import { textFunction } from './text-function.ts';

/**
 * OpenAI's custom tools take a text where functions take an object. Other vendors do not have them, and only some of OpenAI's models do:
 * every model is offered functions with one text, and the client sees calls of its custom tools.
 */

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({
    type: z.literal('grammar'),
    grammar: z.object({ definition: z.string(), syntax: z.enum(['lark', 'regex']) }),
  }),
]);
const customTool = z.looseObject({
  type: z.literal('custom'),
  custom: z.object({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string().nullish(),
    format: format.nullish(),
  }),
});
type CustomTool = z.output<typeof customTool>;

const noCustomTools: CustomTools = { names: [], inWords: false };

const isCustom = (value: unknown): boolean => asObject(value).type === 'custom';

/** Replaces custom tools by functions, and returns which they were. Returns the same body when it has none. Throws the 400 codes. */
export function withCustomTools(body: JsonObject): { readonly body: JsonObject; readonly custom: CustomTools } {
  if (!Array.isArray(body.tools) || !body.tools.some(isCustom)) return { body, custom: noCustomTools };
  const parsed = z.looseObject({ tools: z.array(z.unknown()).transform(readTools) }).safeParse(body);
  if (!parsed.success) throw requestError(parsed.error.issues, body);
  const custom = parsed.data.tools.flatMap((tool) => (tool.custom ? [tool.custom] : []));
  return {
    body: {
      ...body,
      tools: parsed.data.tools.map(({ offered }) => offered),
      tool_choice: functionChoice(body.tool_choice),
    },
    custom: {
      names: custom.map(({ name }) => name),
      inWords: custom.some((tool) => tool.format?.type === 'grammar'),
    },
  };
}

interface ReadTool {
  readonly offered: unknown;
  readonly custom: CustomTool['custom'] | null;
}

function readTools(tools: readonly unknown[], context: z.RefinementCtx<unknown[]>): ReadTool[] {
  return tools.map((tool, index) => {
    if (!isCustom(tool)) return { offered: tool, custom: null };
    const { success, data, error } = customTool.safeParse(tool);
    if (success)
      return {
        offered: { ...data, type: 'function', custom: undefined, function: getFunction(data) },
        custom: data.custom,
      };
    for (const issue of error.issues)
      context.issues.push({ ...issue, path: [index, ...issue.path], input: tool } as never);
    return { offered: tool, custom: null };
  });
}

function getFunction({ custom: { name, description, format: wanted } }: CustomTool): object {
  return textFunction(name, description ?? null, wanted?.type === 'grammar' ? wanted.grammar : null);
}

/** Translates a choice of custom tools to a choice of the functions. */
function functionChoice(choice: unknown): unknown {
  const { type, allowed_tools: allowed } = asObject(choice);
  if (type === 'custom') return functionNamed(choice);
  if (type !== 'allowed_tools') return choice;
  const tools = asArray(asObject(allowed).tools).map((tool) => (isCustom(tool) ? functionNamed(tool) : tool));
  return { type, allowed_tools: { ...asObject(allowed), tools } };
}

const functionNamed = (value: unknown) => ({
  type: 'function',
  function: { name: asObject(asObject(value).custom).name },
});

/** Replaces earlier calls of custom tools by calls of functions. Returns the same body when there are none. */
export function withCustomCalls(body: JsonObject): JsonObject {
  const messages = asArray(body.messages);
  if (!messages.some((message) => asArray(asObject(message).tool_calls).some(isCustom))) return body;
  return {
    ...body,
    messages: messages.map((message) => {
      const calls = asObject(message).tool_calls;
      return Array.isArray(calls) ? { ...asObject(message), tool_calls: calls.map(functionCall) } : message;
    }),
  };
}

function functionCall(call: unknown): unknown {
  const { custom, ...rest } = asObject(call);
  const { name, input } = asObject(custom);
  if (rest.type !== 'custom' || typeof input !== 'string') return call;
  return { ...rest, type: 'function', function: { name, arguments: textArguments(input) } };
}

/** Translates a call back for the client. Arguments that are not one text are passed on as they are. */
export function callFor(call: ToolCall, { names }: CustomTools): ToolCall | CustomToolCall {
  const { function: fn, ...rest } = call;
  if (!names.includes(fn.name)) return call;
  return { ...rest, type: 'custom', custom: { name: fn.name, input: textInput(fn.arguments) } };
}

/** Holds back a stream's calls of custom tools: their text is known only when the object around it is complete. */
export function createCustomCalls(custom: CustomTools) {
  const held = new Map<number, ToolCall>();
  return {
    /** Whether this part is held back. */
    take(part: DeltaPart): boolean {
      if (part.type === 'tool-call-start' && custom.names.includes(part.name)) {
        const { id, name, extraContent: extra } = part;
        const call: ToolCall = { id, type: 'function', function: { name, arguments: '' } };
        held.set(part.index, extra ? { ...call, extra_content: { ...extra } } : call);
        return true;
      }
      const known = part.type === 'tool-call-delta' ? held.get(part.index) : undefined;
      if (part.type === 'tool-call-delta' && known) known.function.arguments += part.arguments;
      return known !== undefined;
    },
    calls: () => [...held].map(([index, call]) => ({ index, ...callFor(call, custom) })),
  };
}
