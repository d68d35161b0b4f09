import { asArray, asCount, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { type ClientTools, noClientTools } from '../../providers/content/client-tools.ts';
import { createCallsInTurn } from '../chat/calls-in-turn.ts';
import { createSizeLimit } from '../chat/collect-answer.ts';
import { stateText } from '../chat/provider-state.ts';
import type { DeltaPart } from '../chat/stream-writer.ts';
import {
  callItem,
  callPrefixes,
  imageItem,
  messageItem,
  type OpenItem,
  type OutputItem,
  type ResponseEvent,
  reasoningItem,
} from './open-items.ts';

/** What a response puts out, item by item, and the events that tell it. */
export interface OutputItems {
  /** Throws `upstream_bad_response` where it is too much to be kept. */
  add(part: DeltaPart): ResponseEvent[];
  /** Closes what is open. `status`: of the last item. */
  close(status: 'completed' | 'incomplete'): ResponseEvent[];
  /** The items that are closed. */
  readonly items: readonly OutputItem[];
}

/** `name`: what the ids of the items are made of. `tools`: the functions that tools of the caller's became. */
export function createOutputItems(name: string, tools: ClientTools = noClientTools): OutputItems {
  const items: OutputItem[] = [];
  const calls = createCallsInTurn();
  const limit = createSizeLimit();
  let open: OpenItem | null = null;
  /** Characters of text so far, and of these before the item that is open: places are told in all of the text. */
  let [said, saidBefore] = [0, 0];

  function close(status: 'completed' | 'incomplete', state: JsonObject | null = null): ResponseEvent[] {
    if (!open) return [];
    const { events, item } = open.close(status, state);
    const at = items.push(item) - 1;
    open = null;
    return [...events, { type: 'response.output_item.done', output_index: at, item }];
  }

  const place = (prefix: string) => ({ item_id: `${prefix}_${name}_${items.length}`, output_index: items.length });

  function begin(item: OpenItem): ResponseEvent[] {
    open = item;
    saidBefore = said;
    return [{ type: 'response.output_item.added', output_index: items.length, item: item.begun }];
  }

  /** The open item where it is of this kind, else a new one after it. */
  function within(kind: OpenItem['kind'], create: () => OpenItem): { events: ResponseEvent[]; item: OpenItem } {
    if (open?.kind === kind) return { events: [], item: open };
    const events = close('completed');
    const item = create();
    return { events: [...events, ...begin(item)], item };
  }

  /** The state of a call goes with the reasoning before it; where something else was said since, with one that says nothing. */
  function beginCall(part: Extract<DeltaPart, { type: 'tool-call-start' }>): ResponseEvent[] {
    const state = part.extraContent ?? null;
    const tool = tools.get(part.name) ?? { kind: 'function', name: part.name, namespace: null };
    const events: ResponseEvent[] = [];
    if (state && open?.kind !== 'reasoning') {
      events.push(...close('completed'));
      events.push(...begin(reasoningItem(place('rs'))));
    }
    events.push(...close('completed', state && { encrypted_content: stateText(state) }));
    return [...events, ...begin(callItem(place(callPrefixes[tool.kind]), tool, part))];
  }

  function addInTurn(part: DeltaPart): ResponseEvent[] {
    switch (part.type) {
      case 'reasoning-delta': {
        if (part.text === '') return [];
        const { events, item } = within('reasoning', () => reasoningItem(place('rs')));
        return [...events, ...item.add('text', part.text)];
      }
      case 'text-delta': {
        const { events, item } = within('message', () => messageItem(place('msg')));
        said += part.text.length;
        return [...events, ...item.add('text', part.text, asArray(asObject(part.logprobs).content))];
      }
      case 'refusal-delta': {
        const { events, item } = within('message', () => messageItem(place('msg')));
        return [...events, ...item.add('refusal', part.text)];
      }
      case 'tool-call-start':
        return beginCall(part);
      case 'tool-call-delta':
        return open?.kind === 'call' ? open.add('text', part.arguments) : [];
      case 'image':
        return [...close('completed'), ...begin(imageItem(place('ig'), part)), ...close('completed')];
      case 'annotations':
        return open?.cite?.(part.annotations.flatMap((annotation) => citation(annotation, saidBefore))) ?? [];
    }
  }

  return {
    items,
    add(part) {
      limit(part);
      return calls.add(part).flatMap(addInTurn);
    },
    close: (status) => [...calls.rest().flatMap(addInTurn), ...close(status)],
  };
}

/** A chat completion's citation in the words of a response, by its place in its own item. */
function citation({ type, url_citation: page }: JsonObject, before: number): JsonObject[] {
  if (type !== 'url_citation') return [];
  const { start_index: from, end_index: to, url, title } = asObject(page);
  const place = (at: unknown) => Math.max(0, (asCount(at) ?? 0) - before);
  return [{ type, start_index: place(from), end_index: place(to), url, title }];
}
