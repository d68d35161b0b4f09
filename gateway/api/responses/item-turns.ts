import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { InputItem, InputPart } from '#shared/wire/responses-request.ts';
import { type ClientTools, noClientTools, offeredName } from '../../providers/content/client-tools.ts';
import { getFileType } from '../../providers/content/file-type.ts';
import type { PlacedTurn } from '../chat/placed-turns.ts';
import { getState } from '../chat/provider-state.ts';
import { callIdsIn, callIn, resultIn } from './client-calls.ts';

/** A turn of the model's while it is put together: what it thought, said and called. */
interface Turn {
  readonly place: string;
  readonly content: JsonObject[];
  readonly calls: JsonObject[];
  readonly images: string[];
  thoughts: string;
  /** Its provider's state, for the next call. */
  state: JsonObject | null;
}

/**
 * Reads items in their order: everything between two turns of others' is one turn of the model's. `tools`: the functions that tools of
 * the caller's became.
 */
export function turnsOfItems(items: readonly InputItem[], tools: ClientTools = noClientTools): PlacedTurn[] {
  const turns: PlacedTurn[] = [];
  const callIds = callIdsIn(items);
  let turn: Turn | null = null;
  const close = () => {
    if (turn && (turn.content.length > 0 || turn.calls.length > 0 || turn.images.length > 0)) {
      turns.push({ message: turnMessage(turn), place: turn.place });
    }
    turn = null;
  };
  for (const [index, item] of items.entries()) {
    const place = `input[${index}]`;
    if (saysNothing(item)) continue;
    const result = resultIn(item, callIds);
    if (result) {
      close();
      const { id, output, failed } = result;
      const content = typeof output === 'string' ? output : outputParts(output, place);
      const message = { role: 'tool', tool_call_id: id, content, ...(failed ? { is_error: true } : {}) };
      turns.push({ message, place });
    } else if (isModels(item)) {
      turn ??= { place, content: [], calls: [], images: [], thoughts: '', state: null };
      addToTurn(turn, item, tools);
    } else {
      close();
      turns.push({ message: otherMessage(item as OthersItem, place), place });
    }
  }
  close();
  return turns;
}

/** Offers of tools, which stand with the others, and searches of OpenAI's servers, whose results stand in the message after them. */
const saysNothing = (item: InputItem) =>
  item.type === 'additional_tools' ||
  item.type === 'web_search_call' ||
  ((item.type === 'tool_search_call' || item.type === 'tool_search_output') && item.call_id === undefined);

type OthersItem = Extract<InputItem, { role: 'user' | 'system' | 'developer' } | { type: 'agent_message' }>;

const isModels = (item: InputItem): boolean =>
  item.type === 'reasoning' ||
  item.type === 'image_generation_call' ||
  ('role' in item && item.role === 'assistant') ||
  callIn(item) !== null;

function addToTurn(turn: Turn, item: InputItem, tools: ClientTools): void {
  const call = callIn(item);
  if (call) {
    const { tool, id, arguments: text } = call;
    const state = turn.state ? { extra_content: turn.state } : {};
    turn.calls.push({ id, type: 'function', function: { name: offeredName(tools, tool), arguments: text }, ...state });
    turn.state = null;
  } else if (item.type === 'reasoning') {
    turn.thoughts += asArray(item.summary).reduce((all: string, part) => all + (asText(asObject(part).text) ?? ''), '');
    turn.state = (item.encrypted_content === undefined ? null : getState(item.encrypted_content)) ?? turn.state;
  } else if (item.type === 'image_generation_call') {
    if (item.result) turn.images.push(imageAddress(item.result));
  } else if ('role' in item && item.role === 'assistant') {
    const { content } = item as Extract<InputItem, { role: 'assistant' }>;
    const parts = typeof content === 'string' ? [{ type: 'output_text' as const, text: content }] : content;
    turn.content.push(
      ...parts.map((part) =>
        part.type === 'refusal' ? { type: 'refusal', refusal: part.refusal } : { type: 'text', text: part.text },
      ),
    );
  }
}

/** Items say only the base64 of an image: what it is its first bytes tell. */
function imageAddress(result: string): string {
  if (/^https:\/\//i.test(result)) return result;
  const type = getFileType(Buffer.from(result.slice(0, 24), 'base64'));
  return `data:${type ?? 'image/png'};base64,${result}`;
}

const turnMessage = ({ content, calls, images, thoughts }: Turn): JsonObject => ({
  role: 'assistant',
  content: content.length > 0 ? content : null,
  ...(calls.length > 0 ? { tool_calls: calls } : {}),
  ...(thoughts ? { reasoning_content: thoughts } : {}),
  ...(images.length > 0 ? { images: images.map((url) => ({ type: 'image_url', image_url: { url } })) } : {}),
});

function otherMessage(item: OthersItem, place: string): JsonObject {
  if (item.type === 'agent_message') {
    const text = item.content.map((part) => part.text ?? part.encrypted_content ?? '').join('\n');
    return { role: 'user', content: item.author === undefined ? text : `Message from ${item.author}:\n\n${text}` };
  }
  const { role, content } = item;
  if (typeof content === 'string') return { role, content };
  const parts = content.map((part, at) => contentPart(part, `${place}.content[${at}]`));
  return { role, content: parts };
}

/** Nothing said is an empty text. */
const outputParts = (parts: readonly InputPart[], place: string): string | JsonObject[] =>
  parts.length === 0 ? '' : parts.map((part, at) => contentPart(part, `${place}.output[${at}]`));

function contentPart(part: InputPart, place: string): JsonObject {
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      if (part.image_url === undefined) throw notStored(`${place}.image_url`, part.file_id);
      return { type: 'image_url', image_url: { url: part.image_url, detail: part.detail } };
    case 'input_file':
      if (part.file_data === undefined) throw notStored(`${place}.file_data`, part.file_id ?? part.file_url);
      return { type: 'file', file: { filename: part.filename, file_data: asDataUrl(part.file_data) } };
  }
}

/** OpenAI takes a PDF's bare base64 as well. */
const asDataUrl = (data: string) => (data.startsWith('data:') ? data : `data:application/pdf;base64,${data}`);

function notStored(param: string, named: string | undefined): AppError {
  if (named === undefined) return new AppError('missing_required_parameter', `"${param}" is missing.`, { param });
  const message = `This gateway stores and fetches no files. Send the content itself in "${param}".`;
  return new AppError('unsupported_file_id', message, { param });
}
