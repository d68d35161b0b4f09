import { asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { formatUsd } from '#shared/money.ts';
import type { MessagesAnswer } from '#shared/wire/messages-answer.ts';
import type { ChatRequest } from '../../engine/answer.ts';
import { messagesEnvelope } from '../../http/error-response.ts';
import type { ExchangeHandler } from '../../http/request-context.ts';
import { argumentsObject } from '../../providers/content/call-fields.ts';
import { answerChat, type ChatDeps, type ChatForm } from '../chat/answer-chat.ts';
import { createCallsInTurn } from '../chat/calls-in-turn.ts';
import { createSizeLimit } from '../chat/collect-answer.ts';
import { type FormedAnswer, getParts } from '../chat/kept-answer.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import { noState, stateText } from '../chat/provider-state.ts';
import type { DeltaPart, FinishPart, RoutePart, StreamWriter } from '../chat/stream-writer.ts';
import { messagesReader } from './read-messages-request.ts';

/** One event of a message's stream. */
type MessageEvent = JsonObject & { readonly type: string };

/** Builds the content of a message block by block, and the events that stream it. */
interface MessageBlocks {
  /** Throws `upstream_bad_response` if the answer is too large to keep. */
  add(part: DeltaPart): MessageEvent[];
  /** Closes the open block. */
  close(): MessageEvent[];
  /** The closed blocks. */
  readonly content: readonly JsonObject[];
  /** True if the model refused with a text. */
  readonly refused: boolean;
}

interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'tool_use';
  /** The block before it has any content. */
  readonly begun: JsonObject;
  text: string;
  /** The web pages that a text block cites. */
  readonly citations: JsonObject[];
}

/** `hidesThinking`: only the part of the thinking that has to come back is sent. */
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
    open = { type, begun, text: '', citations: [] };
    return [{ type: 'content_block_start', index: content.length, content_block: begun }];
  }

  /**
   * `state`: the state that has to come back with thinking. Clients may require a signature on every thinking block, so
   * there is always one.
   */
  function close(state: string = noState): MessageEvent[] {
    if (!open) return [];
    const isThinking = open.type === 'thinking';
    const signed = isThinking ? [delta({ type: 'signature_delta', signature: state })] : [];
    const stop: MessageEvent = { type: 'content_block_stop', index: content.length };
    content.push(finished(open, state));
    open = null;
    return [...signed, stop];
  }

  function append(type: OpenBlock['type'], begun: JsonObject, text: string, fields: JsonObject): MessageEvent[] {
    const events = open?.type === type ? [] : [...close(), ...begin(type, begun)];
    if (open) open.text += text;
    return [...events, delta(fields)];
  }

  /**
   * The state of a call becomes the signature of the thinking before it. If other content came in between, it becomes a
   * block of its own.
   */
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

  /** Anthropic's marks for its own results are left out, because nobody else has them. */
  function cite(annotation: JsonObject): MessageEvent[] {
    const { url, title } = asObject(annotation.url_citation);
    if (open?.type !== 'text' || typeof url !== 'string') return [];
    const citation = {
      type: 'web_search_result_location',
      url,
      title: title ?? null,
      cited_text: '',
      encrypted_index: '',
    };
    open.citations.push(citation);
    return [delta({ type: 'citations_delta', citation })];
  }

  function addInTurn(part: DeltaPart): MessageEvent[] {
    switch (part.type) {
      case 'text-delta':
      case 'refusal-delta':
        refused ||= part.type === 'refusal-delta';
        if (part.text === '') return [];
        return append('text', { type: 'text', text: '' }, part.text, { type: 'text_delta', text: part.text });
      case 'reasoning-delta':
        if (hidesThinking || part.text === '') return [];
        return append('thinking', { type: 'thinking', thinking: '', signature: '' }, part.text, {
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
        return part.annotations.flatMap(cite);
      case 'image':
        return append('text', { type: 'text', text: '' }, imageWords, { type: 'text_delta', text: imageWords });
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

/** Anthropic's answers have no form for images that a model generates. */
const imageWords = '\n\n[The model made an image here, which this API cannot carry.]\n\n';

function finished({ type, begun, text, citations }: OpenBlock, signature: string): JsonObject {
  if (type === 'text') return { ...begun, text, ...(citations.length > 0 ? { citations } : {}) };
  if (type === 'thinking') return { ...begun, thinking: text, signature };
  return { ...begun, input: argumentsObject(text) };
}

/** A message without content. Its input tokens are only known at its end. */
const begunMessage = ({ id }: AnswerIdentity, { model, provider }: RoutePart) => ({
  id,
  type: 'message' as const,
  role: 'assistant' as const,
  model,
  provider,
  content: [] as MessagesAnswer['content'],
  container: null,
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
});

/** Returns the fields of a finished message, except its content. */
function messageEnd(finish: FinishPart, { refused }: Pick<MessageBlocks, 'refused'>) {
  const { reason, usage, cost, upstreamCost, estimated, byok, routing, warnings } = finish;
  const { promptTokens, cachedTokens, cacheWriteTokens, cacheWriteHourTokens = 0 } = usage;
  return {
    stop_reason: refused && reason === 'stop' ? 'refusal' : stopReasons[reason],
    usage: {
      // Anthropic counts tokens that come from its cache or go there separately (wire contract §1.7).
      input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWriteTokens),
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: cacheWriteTokens - cacheWriteHourTokens,
        ephemeral_1h_input_tokens: cacheWriteHourTokens,
      },
      output_tokens: usage.completionTokens,
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
      ...(usage.searches ? { server_tool_use: { web_search_requests: usage.searches } } : {}),
      cost_usd: formatUsd(cost),
      upstream_cost_usd: upstreamCost === null ? null : formatUsd(upstreamCost),
      estimated,
    },
    byok,
    routing,
    warnings: [...warnings],
  };
}

/** No upstream reports which stop sequence ended an answer, so such an end looks like any other. */
const stopReasons: Readonly<Record<FinishPart['reason'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

const toText = (events: readonly MessageEvent[]): string => {
  let text = '';
  for (const event of events) text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return text;
};

const ping = toText([{ type: 'ping' }]);

/**
 * Writes the events of a streamed message (https://platform.claude.com/docs/en/build-with-claude/streaming and what
 * anthropic-sdk-typescript 1.12 accepts, read 2026-11-22).
 */
export function createMessageWriter(identity: AnswerIdentity, hidesThinking: boolean): StreamWriter {
  const blocks = createMessageBlocks(hidesThinking);
  return {
    keepAlive: ping,
    opening: (route) => toText([{ type: 'message_start', message: begunMessage(identity, route) }]),
    delta: (part) => toText(blocks.add(part)),
    closing(finish) {
      const events = blocks.close();
      const { stop_reason, usage, ...rest } = messageEnd(finish, blocks);
      const delta = { container: null, stop_reason, stop_sequence: null, stop_details: null };
      return toText([...events, { type: 'message_delta', delta, usage, ...rest }, { type: 'message_stop' }]);
    },
    failure: (error) => toText([{ ...messagesEnvelope(error, identity.requestId) }]),
  };
}

const hidesThinking = ({ echo }: Pick<ChatRequest, 'echo'>) => echo?.short.hidesThinking === true;

/** The form of `POST /v1/messages`: Anthropic's Messages API. */
const messages: ChatForm = {
  requestIdHeader: 'request-id',
  reader: messagesReader,
  idPrefix: 'msg_',
  writer: (identity, request) => createMessageWriter(identity, hidesThinking(request)),
  response: wholeMessage,
};

function wholeMessage(answer: FormedAnswer, request: ChatRequest): MessagesAnswer {
  const { identity, route, finish } = answer;
  const blocks = createMessageBlocks(hidesThinking(request));
  for (const part of getParts(answer)) if (part.type !== 'route' && part.type !== 'finish') blocks.add(part);
  blocks.close();
  const content = [...blocks.content] as MessagesAnswer['content'];
  return { ...begunMessage(identity, route), content, ...messageEnd(finish, blocks) };
}

/** Answers `POST /v1/messages`. Anthropic's clients read the request's id from the header `request-id`. */
export const messagesHandler =
  (deps: ChatDeps): ExchangeHandler =>
  (context, exchange) =>
    answerChat(context, exchange, messages, deps);
