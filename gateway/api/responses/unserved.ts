import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { inputItemTypes } from '#shared/wire/responses-request.ts';
import { refuseFields } from '../chat/refused-fields.ts';

/** What the Responses API has and this gateway does not, each with the nearest thing that it does have. */

const servedItems = new Set(inputItemTypes);

/** Throws `unsupported_parameter` for what cannot be done without stored responses. */
export function refuseUnserved(body: JsonObject): void {
  refuseFields(body, 'responses');
  for (const [index, item] of asArray(body.input).entries()) checkItem(asObject(item), index);
}

function checkItem(item: JsonObject, index: number): void {
  const type = asText(item.type);
  if (type !== null && !servedItems.has(type)) refuseItem(item, index);
}

/** Throws `unsupported_parameter` for an item that cannot be read, or that alone says nothing to a model. */
export function refuseItem(item: JsonObject, index: number): never {
  const type = asText(item.type) ?? '';
  const why =
    type === 'item_reference'
      ? `The item "${(asText(item.id) ?? '').slice(0, 64)}" is not kept, or not any more: send it itself. Clients do so with "store": false.`
      : `Items of the type "${type.slice(0, 64)}" cannot be read here; messages, calls of tools that you run, their outputs, images and reasoning can.`;
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
