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

/** Reads the items that a response is made of: messages, reasoning and calls, each added, filled and done. */
interface OutputItems {
  hear(event: JsonObject): ProviderEvent[];
  /** An item that came in one piece, at this place of the output. */
  whole(item: JsonObject, index: number): ProviderEvent[];
  /** Calls so far. */
  readonly calls: number;
  /** Searches of the web so far. */
  readonly searches: number;
}

const createOutputItems = (model: string, clientTools?: ClientTools): OutputItems => new Items(model, clientTools);

type TextType = 'text-delta' | 'reasoning-delta' | 'refusal-delta';

interface Call {
  /** Place among the calls. */
  readonly index: number;
  readonly isText: boolean;
  /** Half of a character that a piece of text ended with: escaped alone, it would no longer be the character. */
  half: string;
  /** Its arguments came bit by bit. */
  inParts: boolean;
}

/** Kinds of calls, as the functions that their tools became. */
const kinds: Readonly<Record<string, ClientTool['kind']>> = {
  function_call: 'function',
  custom_tool_call: 'custom',
  tool_search_call: 'tool_search',
  local_shell_call: 'local_shell',
  shell_call: 'shell',
  apply_patch_call: 'apply_patch',
};

/** The arguments of such a function, of a call that came in one piece. */
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

class Items implements OutputItems {
  readonly #model: string;
  readonly #calls = new Map<number, Call>();
  readonly #thoughts: JsonObject[] = [];
  /** The part that spoke last, of each kind of text: another one begins a paragraph. */
  readonly #speaking = new Map<TextType, string>();
  /** Characters of text so far, and of these before the part that speaks. */
  #said = 0;
  #partBegan = 0;

  readonly #clientTools: ClientTools;

  constructor(model: string, clientTools: ClientTools = noClientTools) {
    this.#model = model;
    this.#clientTools = clientTools;
  }

  searches = 0;

  get calls(): number {
    return this.#calls.size;
  }

  hear(event: JsonObject): ProviderEvent[] {
    const at = asCount(event.output_index) ?? 0;
    switch (event.type) {
      case 'response.output_text.annotation.added':
        return this.#cite([asObject(event.annotation)]);
      case 'response.output_item.added':
        return this.#begin(asObject(event.item), at);
      case 'response.output_text.delta':
        return this.#say('text-delta', `${at}`, event.delta);
      case 'response.refusal.delta':
        return this.#say('refusal-delta', `${at}`, event.delta);
      case 'response.reasoning_summary_text.delta':
        return this.#say('reasoning-delta', `${at}/${asCount(event.summary_index) ?? 0}`, event.delta);
      case 'response.reasoning_text.delta':
        return this.#say('reasoning-delta', `${at}`, event.delta);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#fill(at, event.delta);
      case 'response.output_item.done':
        return this.#finish(asObject(event.item), at);
      default:
        return [];
    }
  }

  whole(item: JsonObject, at: number): ProviderEvent[] {
    const begun = this.#begin(item, at);
    const summary = asArray(item.summary).flatMap((part, index) =>
      this.#say('reasoning-delta', `${at}/${index}`, asObject(part).text),
    );
    const content = asArray(item.content)
      .map(asObject)
      .flatMap((part) => this.#part(part, at));
    return [...begun, ...summary, ...content, ...this.#finish(item, at)];
  }

  #part({ type, text, refusal, annotations }: JsonObject, at: number): ProviderEvent[] {
    if (type === 'refusal') return this.#say('refusal-delta', `${at}`, refusal);
    const said = this.#say(type === 'reasoning_text' ? 'reasoning-delta' : 'text-delta', `${at}`, text);
    return [...said, ...this.#cite(asArray(annotations).map(asObject))];
  }

  /** Their places are in the part that speaks. */
  #cite(annotations: readonly JsonObject[]): ProviderEvent[] {
    return annotations
      .filter(({ type }) => type === 'url_citation')
      .map((page) => {
        const [from, to] = [asCount(page.start_index) ?? 0, asCount(page.end_index) ?? 0];
        return citations([page], this.#partBegan + from, this.#partBegan + to);
      });
  }

  /** A call carries the reasoning that led to it, also where it thinks between calls. */
  #begin(item: JsonObject, at: number): ProviderEvent[] {
    const kind = kinds[asText(item.type) ?? ''];
    if (kind === undefined || this.#calls.has(at)) return [];
    const index = this.#calls.size;
    this.#calls.set(at, { index, isText: kind === 'custom', half: '', inParts: false });
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

  /** A custom tool's text is the only argument of its function. */
  #fill(at: number, delta: unknown): ProviderEvent[] {
    const call = this.#calls.get(at);
    if (!call || typeof delta !== 'string' || delta === '') return [];
    const opening = call.isText && !call.inParts ? textOpening : '';
    call.inParts = true;
    const text = call.isText ? `${opening}${escapedIn(call, delta)}` : delta;
    return [{ type: 'tool-call-delta', index: call.index, arguments: text }];
  }

  /** Only a reasoning item that is done has all of its encrypted content. */
  #finish(item: JsonObject, at: number): ProviderEvent[] {
    if (item.type === 'reasoning' && asText(item.encrypted_content)) this.#thoughts.push(item);
    if (item.type === 'web_search_call') return this.#searched(asObject(item.action));
    if (kinds[asText(item.type) ?? ''] === undefined) return [];
    const begun = this.#begin(item, at);
    const call = this.#calls.get(at);
    if (!call) return begun;
    const rest = call.inParts ? (call.isText ? `${escaped(call.half)}${textEnd}` : '') : getArguments(item);
    return rest === '' ? begun : [...begun, { type: 'tool-call-delta', index: call.index, arguments: rest }];
  }

  /** Opening a page that was found, and looking for words in it, costs nothing of its own. */
  #searched({ type }: JsonObject): ProviderEvent[] {
    if (type !== 'search') return [];
    this.searches += 1;
    return [{ type: 'search' }];
  }

  #say(type: TextType, part: string, text: unknown): ProviderEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const before = this.#speaking.get(type);
    this.#speaking.set(type, part);
    const spaced = before === undefined || before === part ? text : `\n\n${text}`;
    if (type === 'text-delta') {
      if (before !== part) this.#partBegan = this.#said + spaced.length - text.length;
      this.#said += spaced.length;
    }
    return [{ type, text: spaced }];
  }
}

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
