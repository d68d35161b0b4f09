import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { refuseFields } from '../chat/refused-fields.ts';

/** What the Responses API has and this gateway does not, each with the nearest thing that it does have. */

const servedItems = new Set(['message', 'function_call', 'function_call_output', 'reasoning', 'image_generation_call']);

/** Throws `unsupported_parameter` or `unsupported_tool_type` for what cannot be done without stored responses or other hosted tools than a search. */
export function refuseUnserved(body: JsonObject): void {
  refuseFields(body, 'responses');
  for (const [index, tool] of asArray(body.tools).entries()) checkTool(asObject(tool), index);
  for (const [index, item] of asArray(body.input).entries()) checkItem(asObject(item), index);
}

function checkTool(tool: JsonObject, index: number): void {
  const type = asText(tool.type);
  if (type === null || type === 'function' || type.startsWith('web_search')) return;
  throw new AppError(
    'unsupported_tool_type',
    `Tools of the type "${type.slice(0, 64)}" are not run here. Offer a "function" tool and run it yourself.`,
    { param: `tools[${index}].type` },
  );
}

function checkItem(item: JsonObject, index: number): void {
  const type = asText(item.type);
  if (type === null || servedItems.has(type)) return;
  const why =
    type === 'item_reference'
      ? `The item "${(asText(item.id) ?? '').slice(0, 64)}" is not kept, or not any more: send it itself. Clients do so with "store": false.`
      : `Items of the type "${type.slice(0, 64)}" cannot be read here; messages, function calls, their outputs, images and reasoning can.`;
  throw new AppError('unsupported_parameter', why, { param: `input[${index}].type` });
}

const includable = new Set(['reasoning.encrypted_content', 'message.output_text.logprobs']);

/** What is left out of a request that is answered without it. */
export function droppedFields(body: JsonObject, forgotten: readonly number[]): Warning[] {
  const drop = (param: string, message: string): Warning => ({ code: 'parameter_dropped', param, message });
  return [
    ...(body.store === true
      ? [drop('store', 'Responses cannot be fetched later; their items are kept for an hour, for references to them.')]
      : []),
    ...(body.truncation === 'auto'
      ? [drop('truncation', 'Nothing is cut from the input here; "truncation" was left out.')]
      : []),
    ...forgotten.map((index) => drop(`input[${index}]`, 'This reasoning is not kept any more; it was left out.')),
    ...asArray(body.include)
      .filter((name) => !includable.has(String(name)))
      .map((name) => drop('include', `"${String(name).slice(0, 64)}" cannot be included here; it was left out.`)),
  ];
}
