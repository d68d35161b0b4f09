import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ReasoningDetail } from '#shared/wire/chat-request.ts';
import { citations } from '../content/citations.ts';
import { anthropicFormat, blockId } from '../content/reasoning-details.ts';
import type { ProviderEvent } from '../provider.ts';
import { withThinking } from './thinking-state.ts';

/** Reads the content blocks of one message: text, thinking and tool calls, each opened, filled and closed. */
export interface BlockReader {
  start(event: JsonObject): ProviderEvent[];
  delta(event: JsonObject): ProviderEvent[];
  stop(event: JsonObject): ProviderEvent[];
  /** A block that came in one piece, at this place in its message. */
  whole(block: JsonObject, index: number): ProviderEvent[];
}

interface OpenBlock {
  readonly type: string;
  /** Place among the tool calls. */
  readonly call: number;
  /** Arguments that came with the block's start, for blocks without deltas. */
  input: string;
  thinking: string;
  signature: string;
  /** Names a thinking block and its place to the client. */
  readonly id: string;
  /** Where its text begins in all of the text. */
  readonly from: number;
  /** Pages of the web that its text is from. */
  readonly sources: JsonObject[];
}

/** `model`: whose thinking it is. */
export function createBlockReader(model: string): BlockReader {
  const blocks = new Map<number, OpenBlock>();
  const thoughts: JsonObject[] = [];
  let calls = 0;
  /** Characters of text so far. */
  let said = 0;

  function blockStart(event: JsonObject): ProviderEvent[] {
    const content = asObject(event.content_block);
    const type = asText(content.type) ?? '';
    const isCall = type === 'tool_use';
    const input = isCall && Object.keys(asObject(content.input)).length ? JSON.stringify(content.input) : '';
    const index = asCount(event.index) ?? 0;
    const id = blockId({ model, callsBefore: calls, block: index });
    const block = { type, call: isCall ? calls : -1, input, thinking: '', signature: '', id, from: said, sources: [] };
    blocks.set(index, block);
    if (type === 'redacted_thinking') {
      thoughts.push(content);
      return [signed({ type: 'reasoning.encrypted', data: content.data, id, format: anthropicFormat, index })];
    }
    if (type === 'text') {
      for (const citation of asArray(content.citations)) cite(blocks.get(index), asObject(citation));
      return say(content.text);
    }
    if (type === 'server_tool_use' && content.name === 'web_search') return [{ type: 'search' }];
    return isCall ? [startCall(content)] : [];
  }

  /** Each call carries the thinking that led to it, also where it thinks between calls. */
  function startCall(content: JsonObject): ProviderEvent {
    const extra = thoughts.length > 0 ? { extraContent: withThinking(thoughts.splice(0), model) } : {};
    const event: ProviderEvent = {
      type: 'tool-call-start',
      index: calls,
      id: asText(content.id) ?? '',
      name: asText(content.name) ?? '',
      ...extra,
    };
    calls += 1;
    return event;
  }

  function blockDelta(event: JsonObject): ProviderEvent[] {
    const block = blocks.get(asCount(event.index) ?? 0);
    const delta = asObject(event.delta);
    switch (delta.type) {
      case 'text_delta':
        return say(delta.text);
      case 'citations_delta':
        cite(block, asObject(delta.citation));
        return [];
      case 'thinking_delta':
        return block ? thinkingDelta(block, asCount(event.index) ?? 0, asText(delta.thinking) ?? '') : [];
      case 'signature_delta':
        if (block) block.signature += asText(delta.signature) ?? '';
        return [];
      case 'input_json_delta':
        return block ? argumentsDelta(block, asText(delta.partial_json) ?? '') : [];
      default:
        return [];
    }
  }

  function say(value: unknown): ProviderEvent[] {
    const events = textEvent(value);
    if (typeof value === 'string') said += value.length;
    return events;
  }

  function thinkingDelta(block: OpenBlock, index: number, text: string): ProviderEvent[] {
    block.thinking += text;
    if (text === '') return [];
    const detail = { type: 'reasoning.text', text, id: block.id, format: anthropicFormat, index };
    return [{ type: 'reasoning-delta', text, details: [detail] }];
  }

  function argumentsDelta(block: OpenBlock, text: string): ProviderEvent[] {
    if (text === '' || block.call < 0) return [];
    block.input = started;
    return [{ type: 'tool-call-delta', index: block.call, arguments: text }];
  }

  /** A call without arguments still needs an object: `{}`. */
  function blockStop(event: JsonObject): ProviderEvent[] {
    const block = blocks.get(asCount(event.index) ?? 0);
    if (block?.type === 'thinking' && block.signature) {
      const { id, thinking, signature } = block;
      thoughts.push({ type: 'thinking', thinking, signature });
      const index = asCount(event.index) ?? 0;
      return [signed({ type: 'reasoning.text', text: '', signature, id, format: anthropicFormat, index })];
    }
    if (block && block.sources.length > 0) return [citations(block.sources, block.from, said)];
    if (!block || block.call < 0 || block.input === started) return [];
    return [{ type: 'tool-call-delta', index: block.call, arguments: block.input || '{}' }];
  }

  function wholeBlock(block: JsonObject, index: number): ProviderEvent[] {
    const begun = blockStart({ index, content_block: block });
    if (block.type !== 'thinking') return [...begun, ...blockStop({ index })];
    return [
      ...begun,
      ...blockDelta({ index, delta: { type: 'thinking_delta', thinking: block.thinking } }),
      ...blockDelta({ index, delta: { type: 'signature_delta', signature: block.signature } }),
      ...blockStop({ index }),
    ];
  }

  return { start: blockStart, delta: blockDelta, stop: blockStop, whole: wholeBlock };
}

/** Marks a block whose arguments came as deltas. */
const started = '\u0000';

/** Of Anthropic's citations those of pages of the web. */
function cite(block: OpenBlock | undefined, { type, url, title }: JsonObject): void {
  if (type === 'web_search_result_location') block?.sources.push({ url, title });
}

function textEvent(value: unknown): ProviderEvent[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text-delta', text: value }] : [];
}

const signed = (detail: ReasoningDetail): ProviderEvent => ({ type: 'reasoning-delta', text: '', details: [detail] });
