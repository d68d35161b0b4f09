import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { formatUsd } from '#shared/money.ts';
import type { ResponsesAnswer } from '#shared/wire/responses-answer.ts';
import type { ChatRequest, Echo } from '../../engine/answer.ts';
import { errorEnvelope } from '../../http/error-response.ts';
import type { ExchangeHandler } from '../../http/request-context.ts';
import { type ClientTools, noClientTools } from '../../providers/content/client-tools.ts';
import { answerChat, type ChatDeps, type ChatForm } from '../chat/answer-chat.ts';
import { createCallsInTurn } from '../chat/calls-in-turn.ts';
import { refusedFields } from '../chat/check-fields.ts';
import { createSizeLimit } from '../chat/collect-answer.ts';
import { getParts } from '../chat/kept-answer.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import { stateText } from '../chat/provider-state.ts';
import type { DeltaPart, FinishPart, RoutePart, StreamWriter } from '../chat/stream-writer.ts';
import { createEarlierResponses, type EarlierResponses } from './earlier-items.ts';
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
import { responsesReader } from './read-responses-request.ts';

/** The names that the Responses API has for fields of a chat completion. */
const names: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
};

/** What speaks of a field by the name that the request itself has it under. */
const isOwn = ({ code, param }: { readonly code: string; readonly param: string | null }): boolean =>
  code === 'unknown_parameter' ||
  (code === 'unsupported_parameter' && refusedFields.responses.some(({ name }) => name === param));

/** Returns the Responses API's name for a field of a chat completion; the same name if they agree. */
function ownName({ code, param }: { readonly code: string; readonly param: string | null }): string | null {
  if (isOwn({ code, param })) return param;
  const [name = ''] = (param ?? '').split(/[.[]/, 1);
  return names[name] ?? param;
}

/** An unfinished response, with everything that is known before its end. */
function begunResponse(
  { id, created }: AnswerIdentity,
  route: Pick<RoutePart, 'model' | 'provider'> | null,
  echo: Echo | null,
) {
  const { keeps: _, ...short } = echo?.short ?? {};
  return {
    id,
    object: 'response' as const,
    created_at: created,
    completed_at: null as number | null,
    status: 'in_progress',
    background: false,
    error: null,
    // Clients that validate the response want these fields, which no request can set here.
    frequency_penalty: 0,
    presence_penalty: 0,
    incomplete_details: null,
    instructions: null,
    max_tool_calls: null,
    model: route?.model ?? '',
    provider: route?.provider ?? null,
    output: [] as OutputItem[],
    previous_response_id: null,
    service_tier: null,
    store: false,
    tools: [],
    truncation: 'disabled',
    usage: null,
    ...echo?.long,
    ...short,
  };
}

const incompleteFor: Partial<Record<FinishPart['reason'], string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** Completes a response with its output and the data of its end. */
function finishedResponse(
  begun: ReturnType<typeof begunResponse>,
  output: readonly OutputItem[],
  finish: FinishPart,
): ResponsesAnswer {
  const reason = incompleteFor[finish.reason];
  const ms = finish.routing.attempts.reduce((sum, { latency_ms }) => sum + latency_ms, 0);
  return {
    ...begun,
    completed_at: reason === undefined ? begun.created_at + Math.ceil(ms / 1_000) : null,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: [...output],
    service_tier: finish.served?.serviceTier ?? null,
    usage: getUsage(finish),
    byok: finish.byok,
    routing: finish.routing,
    warnings: finish.warnings.map((warning) => ({ ...warning, param: ownName(warning) })),
  };
}

/** True if an answer with this end is complete. */
const isComplete = ({ reason }: FinishPart): boolean => incompleteFor[reason] === undefined;

const getUsage = ({ usage, cost, upstreamCost, estimated }: FinishPart): NonNullable<ResponsesAnswer['usage']> => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
  cost_usd: formatUsd(cost),
  upstream_cost_usd: upstreamCost === null ? null : formatUsd(upstreamCost),
  estimated,
});

/** The form of `POST /v1/responses`: OpenAI's Responses API. Items are stored for a while, responses aren't. */
const responsesForm = ({ keep, recall }: EarlierResponses): ChatForm => ({
  reader: responsesReader,
  idPrefix: 'resp_',
  writer: (identity, request) => createResponseWriter(identity, request, (response) => keep(request, response)),
  response(answer, { echo, clientTools }) {
    const { identity, route, finish } = answer;
    const output = createOutputItems(identity.id.slice('resp_'.length), clientTools);
    for (const part of getParts(answer)) if (part.type !== 'route' && part.type !== 'finish') output.add(part);
    output.close(isComplete(finish) ? 'completed' : 'incomplete');
    return finishedResponse(begunResponse(identity, route, echo), output.items, finish);
  },
  keep: (response, request) => keep(request, response as ResponsesAnswer),
  recall,
});

/** Answers `POST /v1/responses`. */
export function responsesHandler(deps: ChatDeps): ExchangeHandler {
  const form = responsesForm(createEarlierResponses(deps));
  return (context, exchange) =>
    answerChat(context, exchange, form, deps).catch((error: unknown) => {
      throw error instanceof AppError ? inOwnNames(error) : error;
    });
}

function inOwnNames(error: AppError): AppError {
  const param = ownName(error);
  if (param === error.param) return error;
  const { code, message, provider, providerError, retryAfterMs, details, cause } = error;
  return new AppError(code, message, {
    param,
    provider,
    providerError,
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(details ? { details } : {}),
  });
}

/**
 * Writes the events of a streamed response, each with its name and number
 * (https://developers.openai.com/api/reference/resources/beta/subresources/responses/streaming-events and what
 * openai-node 7.57 accepts, read 2026-11-22).
 */
function createResponseWriter(
  identity: AnswerIdentity,
  { echo, clientTools }: Pick<ChatRequest, 'echo' | 'clientTools'>,
  keep: (response: ResponsesAnswer) => Promise<void> | undefined,
): StreamWriter {
  let begun = begunResponse(identity, null, echo);
  const output = createOutputItems(identity.id.slice('resp_'.length), clientTools);
  let number = 0;
  let keeping: Promise<void> | undefined;

  function toText(events: readonly ResponseEvent[]): string {
    let text = '';
    for (const event of events) {
      text += `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`;
      number += 1;
    }
    return text;
  }

  return {
    opening(route) {
      begun = begunResponse(identity, route, echo);
      const types = ['response.created', 'response.in_progress'];
      return toText(types.map((type) => ({ type, response: begun })));
    },
    delta: (part) => toText(output.add(part)),
    closing(finish) {
      const whole = isComplete(finish);
      const events = output.close(whole ? 'completed' : 'incomplete');
      const type = whole ? 'response.completed' : 'response.incomplete';
      const response = finishedResponse(begun, output.items, finish);
      keeping = keep(response);
      return toText([...events, { type, response }]);
    },
    kept: () => keeping,
    // OpenAI's own clients throw the event `error`. Other clients check how the response ended.
    failure(error) {
      const { error: reported } = errorEnvelope(error, identity.requestId);
      const { code, message } = reported;
      const response = { ...begun, status: 'failed', error: { code, message }, output: output.items };
      return toText([
        { type: 'error', code, message, param: reported.param, error: reported },
        { type: 'response.failed', response },
      ]);
    },
  };
}

/** Builds the output of a response item by item, and the events that stream it. */
interface OutputItems {
  /** Throws `upstream_bad_response` if the answer is too large to keep. */
  add(part: DeltaPart): ResponseEvent[];
  /** Closes the open item. `status`: the status of the last item. */
  close(status: 'completed' | 'incomplete'): ResponseEvent[];
  /** The closed items. */
  readonly items: readonly OutputItem[];
}

/** `name`: the part that the ids of all items share. `tools`: the functions that stand for the caller's tools. */
export function createOutputItems(name: string, tools: ClientTools = noClientTools): OutputItems {
  const items: OutputItem[] = [];
  const calls = createCallsInTurn();
  const limit = createSizeLimit();
  let open: OpenItem | null = null;
  /**
   * Number of characters of text so far, and of those before the open item. Citations arrive with positions in the
   * whole text.
   */
  let [textLength, lengthBefore] = [0, 0];

  function close(status: 'completed' | 'incomplete', state: JsonObject | null = null): ResponseEvent[] {
    if (!open) return [];
    const { events, item } = open.close(status, state);
    const position = items.push(item) - 1;
    open = null;
    return [...events, { type: 'response.output_item.done', output_index: position, item }];
  }

  const place = (prefix: string) => ({ item_id: `${prefix}_${name}_${items.length}`, output_index: items.length });

  function begin(item: OpenItem): ResponseEvent[] {
    open = item;
    lengthBefore = textLength;
    return [{ type: 'response.output_item.added', output_index: items.length, item: item.begun }];
  }

  /** Returns the open item if it's of this kind. Otherwise closes it and begins a new one. */
  function within(kind: OpenItem['kind'], create: () => OpenItem): { events: ResponseEvent[]; item: OpenItem } {
    if (open?.kind === kind) return { events: [], item: open };
    const events = close('completed');
    const item = create();
    return { events: [...events, ...begin(item)], item };
  }

  /**
   * The state of a call is attached to the reasoning before it. If other content came in between, an empty reasoning
   * item carries it.
   */
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
        textLength += part.text.length;
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
        return open?.cite?.(part.annotations.flatMap((annotation) => citation(annotation, lengthBefore))) ?? [];
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

/** Converts a chat completion's citation to one of a response, with positions in its own item. */
function citation({ type, url_citation: page }: JsonObject, before: number): JsonObject[] {
  if (type !== 'url_citation') return [];
  const { start_index: from, end_index: to, url, title } = asObject(page);
  const place = (position: unknown) => Math.max(0, (asCount(position) ?? 0) - before);
  return [{ type, start_index: place(from), end_index: place(to), url, title }];
}
