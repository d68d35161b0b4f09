import type { JsonObject } from '#shared/json/foreign-json.ts';
import { callFields } from '../../providers/content/call-fields.ts';
import type { ClientTool } from '../../providers/content/client-tools.ts';
import { parseDataUrl } from '../../providers/content/data-url.ts';
import type { MadeImage } from '../../providers/content/made-images.ts';
import type { DeltaPart } from '../chat/stream-writer.ts';

/** One event of a response's stream, without its sequence number. */
export type ResponseEvent = JsonObject & { readonly type: string };

/** A finished item. */
export type OutputItem = JsonObject & { readonly type: string; readonly id: string };

/** The fields that identify an item in each of its events. */
interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

/** An item of a response while it is written. */
export interface OpenItem {
  readonly kind: 'reasoning' | 'message' | 'call' | 'image_generation_call';
  /** The item before it has any content. */
  readonly begun: JsonObject;
  add(what: 'text' | 'refusal', text: string, logprobs?: readonly unknown[]): ResponseEvent[];
  /** Adds sources to the open text, by their positions in it. */
  cite?(annotations: readonly JsonObject[]): ResponseEvent[];
  /** `more`: further fields of the finished item. */
  close(
    status: 'completed' | 'incomplete',
    more: JsonObject | null,
  ): { readonly events: ResponseEvent[]; readonly item: OutputItem };
}

/** Creates a reasoning item. Its summary begins with the first text. */
export function reasoningItem(place: Place): OpenItem {
  const summary = { ...place, summary_index: 0 };
  const begun = { id: place.item_id, type: 'reasoning', summary: [] };
  let text = '';
  const part = () => ({ type: 'summary_text', text });
  return {
    kind: 'reasoning',
    begun,
    add(_what, delta) {
      const opening: ResponseEvent[] =
        text === '' ? [{ type: 'response.reasoning_summary_part.added', ...summary, part: part() }] : [];
      text += delta;
      return [...opening, { type: 'response.reasoning_summary_text.delta', ...summary, delta }];
    },
    close(_status, more) {
      if (text === '') return { events: [], item: { ...begun, ...more } };
      const events = [
        { type: 'response.reasoning_summary_text.done', ...summary, text },
        { type: 'response.reasoning_summary_part.done', ...summary, part: part() },
      ];
      return { events, item: { ...begun, summary: [part()], ...more } };
    },
  };
}

interface OpenPart {
  readonly what: 'text' | 'refusal';
  readonly index: number;
  readonly logprobs: unknown[];
  readonly annotations: JsonObject[];
  text: string;
}

/** Creates a message that contains text, or a refusal. */
export function messageItem(place: Place): OpenItem {
  const content: JsonObject[] = [];
  let open: OpenPart | null = null;
  const item = (status: string) => ({
    id: place.item_id,
    type: 'message',
    status,
    role: 'assistant',
    content: [...content],
  });

  function closePart(): ResponseEvent[] {
    if (!open) return [];
    const { what, index, text, logprobs } = open;
    const part = getPart(open);
    const position = { ...place, content_index: index };
    const done =
      what === 'text'
        ? { type: 'response.output_text.done', ...position, text, logprobs }
        : { type: 'response.refusal.done', ...position, refusal: text };
    content.push(part);
    open = null;
    return [done, { type: 'response.content_part.done', ...position, part }];
  }

  return {
    kind: 'message',
    begun: item('in_progress'),
    add(what, text, logprobs = []) {
      const events: ResponseEvent[] = [];
      if (open?.what !== what) {
        events.push(...closePart());
        open = { what, index: content.length, text: '', logprobs: [], annotations: [] };
        const position = { ...place, content_index: open.index };
        events.push({ type: 'response.content_part.added', ...position, part: getPart(open) });
      }
      open.text += text;
      for (const token of logprobs) open.logprobs.push(token);
      const position = { ...place, content_index: open.index, delta: text };
      events.push(
        what === 'text'
          ? { type: 'response.output_text.delta', ...position, logprobs }
          : { type: 'response.refusal.delta', ...position },
      );
      return events;
    },
    cite(annotations) {
      const part = open?.what === 'text' ? open : null;
      return annotations.flatMap((annotation) => {
        if (!part) return [];
        const annotation_index = part.annotations.push(annotation) - 1;
        const position = { ...place, content_index: part.index, annotation_index };
        return [{ type: 'response.output_text.annotation.added', ...position, annotation }];
      });
    },
    close(status, more) {
      const events = closePart();
      return { events, item: { ...item(status), ...more } };
    },
  };
}

const getPart = ({ what, text, logprobs, annotations }: OpenPart): JsonObject =>
  what === 'text'
    ? { type: 'output_text', text, annotations: [...annotations], logprobs: [...logprobs] }
    : { type: 'refusal', refusal: text };

/**
 * Creates a call of one of the caller's tools. Only a function's arguments are streamed; the fields of other calls are
 * known once the call is complete.
 */
export function callItem(
  place: Place,
  tool: ClientTool,
  { id }: Pick<Extract<DeltaPart, { type: 'tool-call-start' }>, 'id'>,
): OpenItem {
  let text = '';
  const isFunction = tool.kind === 'function';
  const item = (status: string) => {
    const { type, ...fields } = callFields(tool, id, text);
    return { id: place.item_id, type: String(type), status, ...fields };
  };
  return {
    kind: 'call',
    begun: item('in_progress'),
    add(_what, delta) {
      text += delta;
      return isFunction ? [{ type: 'response.function_call_arguments.delta', ...place, delta }] : [];
    },
    close(status, more) {
      const finished = { ...item(status), ...more };
      return { events: doneEvents(tool, place, finished), item: finished };
    },
  };
}

function doneEvents({ kind, name }: ClientTool, place: Place, item: JsonObject): ResponseEvent[] {
  if (kind === 'function') {
    return [{ type: 'response.function_call_arguments.done', ...place, name, arguments: item.arguments }];
  }
  if (kind !== 'custom') return [];
  const { input } = item;
  return [
    { type: 'response.custom_tool_call_input.delta', ...place, delta: input },
    { type: 'response.custom_tool_call_input.done', ...place, input },
  ];
}

/** Prefixes of the ids of calls, which are the same as OpenAI's. */
export const callPrefixes: Readonly<Record<ClientTool['kind'], string>> = {
  function: 'fc',
  custom: 'ctc',
  tool_search: 'tsc',
  local_shell: 'lsh',
  shell: 'sh',
  apply_patch: 'apc',
};

/** Creates an item with an image that the model generated: its base64, or its URL if only that is known. */
export function imageItem(place: Place, { url }: MadeImage): OpenItem {
  const begun = { id: place.item_id, type: 'image_generation_call', status: 'in_progress', result: null };
  return {
    kind: 'image_generation_call',
    begun,
    add: () => [],
    close: () => ({ events: [], item: { ...begun, status: 'completed', result: parseDataUrl(url)?.base64 ?? url } }),
  };
}
