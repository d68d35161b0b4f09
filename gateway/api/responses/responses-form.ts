import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { formatUsd } from '#shared/money.ts';
import type { ResponsesAnswer } from '#shared/wire/responses-answer.ts';
import type { ExchangeHandler } from '../../http/answer-exchange.ts';
import { errorEnvelope } from '../../http/error-response.ts';
import { type ClientTools, noClientTools } from '../../providers/content/client-tools.ts';
import { answerChat, type ChatDeps, type ChatForm } from '../chat/answer-chat.ts';
import { createCallsInTurn } from '../chat/calls-in-turn.ts';
import { createSizeLimit } from '../chat/collect-answer.ts';
import { getParts } from '../chat/kept-answer.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import { stateText } from '../chat/provider-state.ts';
import type { Echo } from '../chat/read-question.ts';
import type { ChatCall } from '../chat/read-request.ts';
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

/** Names of a chat completion's fields, as a request of the Responses API calls them. */
const names: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
};

/** The field that is meant by a place in a chat completion; itself where it is called the same. */
function ownName(param: string | null): string | null {
  const [name = ''] = (param ?? '').split(/[.[]/, 1);
  return names[name] ?? param;
}

/** A response that is not complete: what is known of it before its end. */
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
    status: 'in_progress',
    background: false,
    error: null,
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

/** A finished response. `completedAt`: Unix seconds. */
function finishedResponse(
  begun: ReturnType<typeof begunResponse>,
  output: readonly OutputItem[],
  finish: FinishPart,
): ResponsesAnswer {
  const reason = incompleteFor[finish.reason];
  return {
    ...begun,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: [...output],
    service_tier: finish.served?.serviceTier ?? null,
    usage: getUsage(finish),
    byok: finish.byok,
    routing: finish.routing,
    warnings: finish.warnings.map((warning) => ({ ...warning, param: ownName(warning.param) })),
  };
}

/** Whether an answer that ended so is all of it. */
const isComplete = ({ reason }: FinishPart): boolean => incompleteFor[reason] === undefined;

const getUsage = ({ usage, cost, upstreamCost, estimated }: FinishPart): NonNullable<ResponsesAnswer['usage']> => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
  cost_usd: formatUsd(cost),
  upstream_cost_usd: formatUsd(upstreamCost),
  estimated,
});

/** Of `POST /v1/responses`: OpenAI's Responses API, whose items are kept for a while and whose responses are not. */
const responsesForm = ({ keep, recall }: EarlierResponses): ChatForm => ({
  reader: responsesReader,
  idPrefix: 'resp_',
  writer: (identity, call) => createResponseWriter(identity, call, (response) => keep(call, response)),
  response(answer, { echo, question }) {
    const { identity, route, finish } = answer;
    const output = createOutputItems(identity.id.slice('resp_'.length), question.clientTools);
    for (const part of getParts(answer)) if (part.type !== 'route' && part.type !== 'finish') output.add(part);
    output.close(isComplete(finish) ? 'completed' : 'incomplete');
    return finishedResponse(begunResponse(identity, route, echo), output.items, finish);
  },
  keep: (response, call) => keep(call, response as ResponsesAnswer),
  recall,
});

/** Answers `POST /v1/responses`. */
export function responsesHandler(deps: ChatDeps): ExchangeHandler {
  const form = responsesForm(createEarlierResponses(deps));
  return (admitted) =>
    answerChat(admitted, form, deps).catch((error: unknown) => {
      throw error instanceof AppError ? inOwnNames(error) : error;
    });
}

function inOwnNames(error: AppError): AppError {
  const param = ownName(error.param);
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
 * The events of a streamed response, each with its name and number
 * (https://developers.openai.com/api/reference/resources/beta/subresources/responses/streaming-events and what openai-node 7.57
 * accepts, read 2026-11-22).
 */
function createResponseWriter(
  identity: AnswerIdentity,
  { echo, question }: Pick<ChatCall, 'echo' | 'question'>,
  keep: (response: ResponsesAnswer) => Promise<void> | undefined,
): StreamWriter {
  let begun = begunResponse(identity, null, echo);
  const output = createOutputItems(identity.id.slice('resp_'.length), question.clientTools);
  let number = 0;
  let keeping: Promise<void> | undefined;

  function say(events: readonly ResponseEvent[]): string {
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
      return say(types.map((type) => ({ type, response: begun })));
    },
    delta: (part) => say(output.add(part)),
    closing(finish) {
      const whole = isComplete(finish);
      const events = output.close(whole ? 'completed' : 'incomplete');
      const type = whole ? 'response.completed' : 'response.incomplete';
      const response = finishedResponse(begun, output.items, finish);
      keeping = keep(response);
      return say([...events, { type, response }]);
    },
    kept: () => keeping,
    // OpenAI's own clients throw what `error` says; others look at how the response ended.
    failure(error) {
      const { error: said } = errorEnvelope(error, identity.requestId);
      const { code, message } = said;
      const response = { ...begun, status: 'failed', error: { code, message }, output: output.items };
      return say([
        { type: 'error', code, message, param: said.param, error: said },
        { type: 'response.failed', response },
      ]);
    },
  };
}

/** What a response puts out, item by item, and the events that tell it. */
interface OutputItems {
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
