import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseEvent } from '../../runtime/json/parse-json.ts';
import { pickFields } from '../../runtime/json/pick-fields.ts';
import type { ClientTools } from '../content/client-tools.ts';
import { usageEvent } from '../openai-compatible/completion-chunks.ts';
import type { ProviderEvent } from '../provider.ts';
import { readFault, upstreamError } from '../upstream/upstream-error.ts';
import { createOutputItems, type OutputItems } from './output-items.ts';

/** Reads one response, in the events of its stream or whole. */
interface ResponseReader {
  read(data: string): ProviderEvent[];
  readWhole(response: JsonObject): ProviderEvent[];
  /** The last event holds all of the answer once more, and the tools that were sent. */
  readonly maxEvent: number;
  /** The event that ends a response was read: nothing that follows counts. */
  readonly done: boolean;
}

const provider = 'openai';

/** As long as a whole answer may be (`wholeJson`), and the request once more with each of its characters escaped. */
const knownMaxAnswer = 8_388_608;
const maxEcho = 3;
const maxEventBytes = 134_217_728;

/** What the last event says that was not said before. It repeats the request and the answer, which may hold more than an event may. */
const endFields = ['status', 'error', 'incomplete_details', 'service_tier', 'usage'];

/**
 * Events that only repeat what was said or sent, some of them at length: nothing of them is read. OpenAI writes the type first; where
 * another server does not, they say nothing when they are read.
 */
const repeating = new RegExp(
  `^\\{"type":"response\\.(?:${[
    ...['created', 'queued', 'in_progress', 'content_part\\.(?:added|done)', 'reasoning_summary_part\\.(?:added|done)'],
    ...['(?:output_text|refusal|reasoning_text|reasoning_summary_text)\\.done'],
    ...['(?:function_call_arguments|custom_tool_call_input)\\.done'],
  ].join('|')})"`,
);

/** `requestBytes`: how long the request is that its events repeat. */
/** The event that ends a response. */
const ending = /^\{"type":"response\.(completed|incomplete|failed|cancelled)"/;

export const createResponseReader = (model: string, requestBytes = 0, clientTools?: ClientTools): ResponseReader =>
  new ResponseEvents(model, requestBytes, clientTools);

class ResponseEvents implements ResponseReader {
  readonly maxEvent: number;
  done = false;
  readonly #items: OutputItems;
  #started = false;

  constructor(model: string, requestBytes: number, clientTools?: ClientTools) {
    this.#items = createOutputItems(model, clientTools);
    this.maxEvent = Math.min(knownMaxAnswer + maxEcho * requestBytes, maxEventBytes);
  }

  /** Progress of hosted tools and whatever comes later says nothing that a chat completion could say. */
  read(data: string): ProviderEvent[] {
    if (this.done) return [];
    if (repeating.test(data)) return this.#begin();
    const [, ended] = ending.exec(data) ?? [];
    if (ended !== undefined) return this.#close(ended, pickFields(data, 'response', endFields));
    const event = parseEvent(data, provider, requestLimits);
    switch (event.type) {
      case 'error':
        throw failure(asObject(event.error ?? event));
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#close(event.type.slice(9), asObject(event.response));
      default: {
        const said = this.#items.hear(event);
        return this.#started ? said : [...this.#begin(), ...said];
      }
    }
  }

  #close(status: string, response: JsonObject | null): ProviderEvent[] {
    this.done = true;
    return [...this.#begin(), ...this.#end({ status, ...response })];
  }

  readWhole(response: JsonObject): ProviderEvent[] {
    if (response.error) throw failure(asObject(response.error));
    const said = asArray(response.output).flatMap((item, index) => this.#items.whole(asObject(item), index));
    return [...this.#begin(), ...said, ...this.#end(response)];
  }

  #begin(): ProviderEvent[] {
    if (this.#started) return [];
    this.#started = true;
    return [{ type: 'start' }];
  }

  #end(response: JsonObject): ProviderEvent[] {
    if (response.status === 'failed') throw failure(asObject(response.error));
    const reason = finishReason(response, this.#items.calls > 0);
    const serviceTier = asText(response.service_tier);
    const told = serviceTier === null ? {} : { served: { serviceTier } };
    return [...countedUsage(response.usage, this.#items.searches), { type: 'finish', reason, ...told }];
  }
}

function finishReason({ status, incomplete_details: details }: JsonObject, hasCalls: boolean): FinishReason {
  if (status === 'completed') return hasCalls ? 'tool_calls' : 'stop';
  const reason = asText(asObject(details).reason);
  if (status === 'incomplete' && reason === 'max_output_tokens') return 'length';
  if (status === 'incomplete' && reason === 'content_filter') return 'content_filter';
  throw new AppError('upstream_bad_response', 'OpenAI ended its answer in the middle of it.', { provider });
}

function countedUsage(value: unknown, searches: number): ProviderEvent[] {
  const usage = asObject(value);
  const events = usageEvent({
    usage: {
      prompt_tokens: asCount(usage.input_tokens),
      completion_tokens: asCount(usage.output_tokens),
      prompt_tokens_details: usage.input_tokens_details,
      completion_tokens_details: usage.output_tokens_details,
    },
  });
  if (searches === 0) return events;
  return events.map((event) => (event.type === 'usage' ? { ...event, usage: { ...event.usage, searches } } : event));
}

/**
 * Codes of a response that failed by what the request holds; the others are OpenAI's own faults. Read in `ResponseError` of
 * https://developers.openai.com/api/reference/resources/responses on 2026-11-22.
 */
const ofRequest = /image|^invalid_/;

function failure(error: JsonObject): AppError {
  const code = asText(error.code);
  const flagged = code === 'invalid_prompt' || code === 'image_content_policy_violation';
  const kind = flagged
    ? 'content_policy_violation'
    : code !== null && ofRequest.test(code)
      ? 'invalid_request_error'
      : null;
  // Flat in an event, where "type" is the event's own.
  const type = error.type === 'error' ? null : error.type;
  return upstreamError(readFault({ error: { ...error, type: kind ?? type } }, provider, null));
}
