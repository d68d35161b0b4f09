import { ulid } from 'ulid';
import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseEvent } from '../../runtime/json/parse-json.ts';
import { pickFields } from '../../runtime/json/pick-fields.ts';
import { argumentsOfAction } from '../content/call-fields.ts';
import { citations } from '../content/citations.ts';
import {
  type ClientTool,
  type ClientTools,
  noClientTools,
  offeredName,
  textArguments,
  textField,
} from '../content/client-tools.ts';
import { usageEvent } from '../openai-compatible/completion-chunks.ts';
import type { ProviderEvent } from '../provider.ts';
import { readFault, upstreamError } from '../upstream/upstream-error.ts';
import { withReasoning } from './reasoning-state.ts';

type TextType = 'text-delta' | 'reasoning-delta' | 'refusal-delta';

interface Call {
  /** Index among the calls. */
  readonly index: number;
  readonly isText: boolean;
  /**
   * First half of a surrogate pair that a piece of text ended with. Escaped alone, it would no longer be the same
   * character.
   */
  half: string;
  /** The arguments of the call arrived in pieces. */
  inParts: boolean;
}

/** The kind of tool that each type of call item belongs to. */
const kinds: Readonly<Record<string, ClientTool['kind']>> = {
  function_call: 'function',
  custom_tool_call: 'custom',
  tool_search_call: 'tool_search',
  local_shell_call: 'local_shell',
  shell_call: 'shell',
  apply_patch_call: 'apply_patch',
};

/** Returns the arguments of a call that arrived in one piece, in the form of the function that its tool became. */
function getArguments(item: JsonObject): string {
  const { arguments: given, input, action, operation } = item;
  if (item.type === 'custom_tool_call') return textArguments(asText(input) ?? '');
  if (typeof given === 'string') return given === '' ? '{}' : given;
  return given === undefined ? argumentsOfAction(asObject(action ?? operation)) : JSON.stringify(given ?? {});
}

const [textOpening, textEnd] = [`{"${textField}":"`, '"}'];

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function escapedIn(call: Call, delta: string): string {
  const text = call.half + delta;
  const isCut = /[\ud800-\udbff]$/.test(text);
  call.half = isCut ? text.slice(-1) : '';
  return escaped(isCut ? text.slice(0, -1) : text);
}

/**
 * Reads the output items of a response: messages, reasoning and calls. Each of them is added, filled by deltas and
 * done.
 */
class OutputItems {
  /** Number of web searches so far. */
  searches = 0;
  readonly #model: string;
  readonly #calls = new Map<number, Call>();
  readonly #thoughts: JsonObject[] = [];
  /** The part that the last text of each type came from. Text from another part begins a new paragraph. */
  readonly #currentParts = new Map<TextType, string>();
  /** Number of characters of text so far, and of those before the current part. */
  #textLength = 0;
  #partBegan = 0;

  readonly #clientTools: ClientTools;

  constructor(model: string, clientTools: ClientTools = noClientTools) {
    this.#model = model;
    this.#clientTools = clientTools;
  }

  /** Number of calls so far. */
  get calls(): number {
    return this.#calls.size;
  }

  read(event: JsonObject): ProviderEvent[] {
    const outputIndex = asCount(event.output_index) ?? 0;
    switch (event.type) {
      case 'response.output_text.annotation.added':
        return this.#cite([asObject(event.annotation)]);
      case 'response.output_item.added':
        return this.#begin(asObject(event.item), outputIndex);
      case 'response.output_text.delta':
        return this.#addText('text-delta', `${outputIndex}`, event.delta);
      case 'response.refusal.delta':
        return this.#addText('refusal-delta', `${outputIndex}`, event.delta);
      case 'response.reasoning_summary_text.delta':
        return this.#addText('reasoning-delta', `${outputIndex}/${asCount(event.summary_index) ?? 0}`, event.delta);
      case 'response.reasoning_text.delta':
        return this.#addText('reasoning-delta', `${outputIndex}`, event.delta);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#fill(outputIndex, event.delta);
      case 'response.output_item.done':
        return this.#finish(asObject(event.item), outputIndex);
      default:
        return [];
    }
  }

  /** Reads an item that arrived in one piece, at this index of the output. */
  whole(item: JsonObject, outputIndex: number): ProviderEvent[] {
    const begun = this.#begin(item, outputIndex);
    const summary = asArray(item.summary).flatMap((part, index) =>
      this.#addText('reasoning-delta', `${outputIndex}/${index}`, asObject(part).text),
    );
    const content = asArray(item.content)
      .map(asObject)
      .flatMap((part) => this.#part(part, outputIndex));
    return [...begun, ...summary, ...content, ...this.#finish(item, outputIndex)];
  }

  #part({ type, text, refusal, annotations }: JsonObject, outputIndex: number): ProviderEvent[] {
    if (type === 'refusal') return this.#addText('refusal-delta', `${outputIndex}`, refusal);
    const events = this.#addText(type === 'reasoning_text' ? 'reasoning-delta' : 'text-delta', `${outputIndex}`, text);
    return [...events, ...this.#cite(asArray(annotations).map(asObject))];
  }

  /** Reports citations. Their positions count from the beginning of the current part. */
  #cite(annotations: readonly JsonObject[]): ProviderEvent[] {
    return annotations
      .filter(({ type }) => type === 'url_citation')
      .map((page) => {
        const [from, to] = [asCount(page.start_index) ?? 0, asCount(page.end_index) ?? 0];
        return citations([page], this.#partBegan + from, this.#partBegan + to);
      });
  }

  /** Begins a call. It carries the reasoning that came before it, even if the model thinks again between two calls. */
  #begin(item: JsonObject, outputIndex: number): ProviderEvent[] {
    const kind = kinds[asText(item.type) ?? ''];
    if (kind === undefined || this.#calls.has(outputIndex)) return [];
    const index = this.#calls.size;
    this.#calls.set(outputIndex, { index, isText: kind === 'custom', half: '', inParts: false });
    const thoughts = this.#thoughts.splice(0);
    const tool = { kind, name: asText(item.name) ?? kind, namespace: asText(item.namespace) };
    return [
      {
        type: 'tool-call-start',
        index,
        id: asText(item.call_id) || `call_${ulid()}`,
        name: offeredName(this.#clientTools, tool),
        ...(thoughts.length > 0 ? { extraContent: withReasoning(thoughts, this.#model) } : {}),
      },
    ];
  }

  /** Adds a piece of a call's arguments. A custom tool's text is the only argument of its function. */
  #fill(outputIndex: number, delta: unknown): ProviderEvent[] {
    const call = this.#calls.get(outputIndex);
    if (!call || typeof delta !== 'string' || delta === '') return [];
    const opening = call.isText && !call.inParts ? textOpening : '';
    call.inParts = true;
    const text = call.isText ? `${opening}${escapedIn(call, delta)}` : delta;
    return [{ type: 'tool-call-delta', index: call.index, arguments: text }];
  }

  /** Ends an item. Only a completed reasoning item has all of its encrypted content. */
  #finish(item: JsonObject, outputIndex: number): ProviderEvent[] {
    if (item.type === 'reasoning' && asText(item.encrypted_content)) this.#thoughts.push(item);
    if (item.type === 'web_search_call') return this.#searched(asObject(item.action));
    if (kinds[asText(item.type) ?? ''] === undefined) return [];
    const begun = this.#begin(item, outputIndex);
    const call = this.#calls.get(outputIndex);
    if (!call) return begun;
    const rest = call.inParts ? (call.isText ? `${escaped(call.half)}${textEnd}` : '') : getArguments(item);
    return rest === '' ? begun : [...begun, { type: 'tool-call-delta', index: call.index, arguments: rest }];
  }

  /** Counts a search. Opening a page that was found, and searching in it, costs nothing extra. */
  #searched({ type }: JsonObject): ProviderEvent[] {
    if (type !== 'search') return [];
    this.searches += 1;
    return [{ type: 'search' }];
  }

  #addText(type: TextType, part: string, text: unknown): ProviderEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const before = this.#currentParts.get(type);
    this.#currentParts.set(type, part);
    const spaced = before === undefined || before === part ? text : `\n\n${text}`;
    if (type === 'text-delta') {
      if (before !== part) this.#partBegan = this.#textLength + spaced.length - text.length;
      this.#textLength += spaced.length;
    }
    return [{ type, text: spaced }];
  }
}

const provider = 'openai';

/**
 * The last event may be as long as a non-streaming answer (`wholeJson`), plus the request with each of its characters
 * escaped.
 */
const knownMaxAnswer = 8_388_608;
const maxEcho = 3;
const maxEventBytes = 134_217_728;

/**
 * Fields of the last event with something new. Its other fields repeat the request and the answer, which may be longer
 * than a parsed event may be.
 */
const endFields = ['status', 'error', 'incomplete_details', 'service_tier', 'usage'];

/**
 * Matches events that only repeat what was already sent, some of them at length. They aren't parsed. OpenAI writes the
 * type first. If another server doesn't, its events are parsed and turn out to contain nothing new.
 */
const repeating = new RegExp(
  `^\\{"type":"response\\.(?:${[
    ...['created', 'queued', 'in_progress', 'content_part\\.(?:added|done)', 'reasoning_summary_part\\.(?:added|done)'],
    ...['(?:output_text|refusal|reasoning_text|reasoning_summary_text)\\.done'],
    ...['(?:function_call_arguments|custom_tool_call_input)\\.done'],
  ].join('|')})"`,
);

/** Matches the event that ends a response, by its type at the beginning. */
const ending = /^\{"type":"response\.(completed|incomplete|failed|cancelled)"/;

/** Reads one response, from the events of its stream or from a non-streaming answer. */
export class ResponseReader {
  /** The last event repeats the whole answer and the tools that were sent. */
  readonly maxEvent: number;
  /** True once the event that ends a response was read. Everything after it is ignored. */
  done = false;
  readonly #items: OutputItems;
  #started = false;

  /** `requestBytes`: length of the request, because the response's events repeat it. */
  constructor(model: string, requestBytes = 0, clientTools?: ClientTools) {
    this.#items = new OutputItems(model, clientTools);
    this.maxEvent = Math.min(knownMaxAnswer + maxEcho * requestBytes, maxEventBytes);
  }

  /**
   * Events about the progress of hosted tools, and events of unknown types, are ignored: a chat completion has no field
   * for them.
   */
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
        const events = this.#items.read(event);
        return this.#started ? events : [...this.#begin(), ...events];
      }
    }
  }

  #close(status: string, response: JsonObject | null): ProviderEvent[] {
    this.done = true;
    return [...this.#begin(), ...this.#end({ status, ...response })];
  }

  readWhole(response: JsonObject): ProviderEvent[] {
    if (response.error) throw failure(asObject(response.error));
    const events = asArray(response.output).flatMap((item, index) => this.#items.whole(asObject(item), index));
    return [...this.#begin(), ...events, ...this.#end(response)];
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
    const served = serviceTier === null ? {} : { served: { serviceTier } };
    return [...countedUsage(response.usage, this.#items.searches), { type: 'finish', reason, ...served }];
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
 * Codes of a response that failed because of what the request contains. All other codes are OpenAI's own faults. Read
 * in `ResponseError` of https://developers.openai.com/api/reference/resources/responses on 2026-11-22.
 */
const requestCodes = /image|^invalid_/;

function failure(error: JsonObject): AppError {
  const code = asText(error.code);
  const flagged = code === 'invalid_prompt' || code === 'image_content_policy_violation';
  const kind = flagged
    ? 'content_policy_violation'
    : code !== null && requestCodes.test(code)
      ? 'invalid_request_error'
      : null;
  // In an event the error's fields are at the top level, where "type" is the type of the event.
  const type = error.type === 'error' ? null : error.type;
  return upstreamError(readFault({ error: { ...error, type: kind ?? type } }, provider, null));
}
