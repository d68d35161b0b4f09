import type { JsonObject } from '#shared/json/foreign-json.ts';
import { argumentsObject } from '../../providers/content/call-fields.ts';
import { createCallsInTurn } from '../chat/calls-in-turn.ts';
import { createSizeLimit } from '../chat/collect-answer.ts';
import { noState, stateText } from '../chat/provider-state.ts';
import type { DeltaPart } from '../chat/stream-writer.ts';

/** One event of a message's stream. */
export type MessageEvent = JsonObject & { readonly type: string };

/** What a message says, block by block, and the events that tell it. */
export interface MessageBlocks {
  /** Throws `upstream_bad_response` where it is too much to be kept. */
  add(part: DeltaPart): MessageEvent[];
  /** Closes what is open. */
  close(): MessageEvent[];
  /** The blocks that are closed. */
  readonly content: readonly JsonObject[];
  /** The model refused in words. */
  readonly refused: boolean;
}

interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'tool_use';
  /** As it is when nothing of it was said. */
  readonly begun: JsonObject;
  text: string;
}

/** `hidesThinking`: of thinking only what must come back is given. */
export function createMessageBlocks(hidesThinking: boolean): MessageBlocks {
  const content: JsonObject[] = [];
  const calls = createCallsInTurn();
  const limit = createSizeLimit();
  let open: OpenBlock | null = null;
  let refused = false;

  const delta = (fields: JsonObject): MessageEvent => ({
    type: 'content_block_delta',
    index: content.length,
    delta: fields,
  });

  function begin(type: OpenBlock['type'], begun: JsonObject): MessageEvent[] {
    open = { type, begun, text: '' };
    return [{ type: 'content_block_start', index: content.length, content_block: begun }];
  }

  /** `state`: what is to come back with thinking. Clients may check that every thinking block has a signature. */
  function close(state: string = noState): MessageEvent[] {
    if (!open) return [];
    const isThinking = open.type === 'thinking';
    const signed = isThinking ? [delta({ type: 'signature_delta', signature: state })] : [];
    const stop: MessageEvent = { type: 'content_block_stop', index: content.length };
    content.push(finished(open, state));
    open = null;
    return [...signed, stop];
  }

  function say(type: OpenBlock['type'], begun: JsonObject, text: string, fields: JsonObject): MessageEvent[] {
    const events = open?.type === type ? [] : [...close(), ...begin(type, begun)];
    if (open) open.text += text;
    return [...events, delta(fields)];
  }

  /** The state of a call is the signature of the thinking before it; where something else was said since, a block of its own. */
  function beginCall({ id, name, extraContent }: Extract<DeltaPart, { type: 'tool-call-start' }>): MessageEvent[] {
    const call = () => begin('tool_use', { type: 'tool_use', id, name, input: {} });
    if (!extraContent) return [...close(), ...call()];
    const state = stateText(extraContent);
    if (open?.type === 'thinking') return [...close(state), ...call()];
    const events = close();
    const redacted = { type: 'redacted_thinking', data: state };
    const index = content.push(redacted) - 1;
    const whole: MessageEvent[] = [
      { type: 'content_block_start', index, content_block: redacted },
      { type: 'content_block_stop', index },
    ];
    return [...events, ...whole, ...call()];
  }

  function addInTurn(part: DeltaPart): MessageEvent[] {
    switch (part.type) {
      case 'text-delta':
      case 'refusal-delta':
        refused ||= part.type === 'refusal-delta';
        if (part.text === '') return [];
        return say('text', { type: 'text', text: '' }, part.text, { type: 'text_delta', text: part.text });
      case 'reasoning-delta':
        if (hidesThinking || part.text === '') return [];
        return say('thinking', { type: 'thinking', thinking: '', signature: '' }, part.text, {
          type: 'thinking_delta',
          thinking: part.text,
        });
      case 'tool-call-start':
        return beginCall(part);
      case 'tool-call-delta':
        if (open?.type !== 'tool_use') return [];
        open.text += part.arguments;
        return [delta({ type: 'input_json_delta', partial_json: part.arguments })];
      case 'annotations':
        return [];
      case 'image':
        return say('text', { type: 'text', text: '' }, imageWords, { type: 'text_delta', text: imageWords });
    }
  }

  return {
    content,
    get refused() {
      return refused;
    },
    add(part) {
      limit(part);
      return calls.add(part).flatMap(addInTurn);
    },
    close: () => [...calls.rest().flatMap(addInTurn), ...close()],
  };
}

/** Anthropic's answers have no form for images that a model makes. */
const imageWords = '\n\n[The model made an image here, which this API cannot carry.]\n\n';

function finished({ type, begun, text }: OpenBlock, signature: string): JsonObject {
  if (type === 'text') return { ...begun, text };
  if (type === 'thinking') return { ...begun, thinking: text, signature };
  return { ...begun, input: argumentsObject(text) };
}
