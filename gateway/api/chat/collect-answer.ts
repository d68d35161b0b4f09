import { AppError } from '#shared/errors.ts';
import type { ReasoningDetail, ToolCall } from '#shared/wire/chat-request.ts';
import type { AnswerSink } from '../../engine/answer.ts';
import { type MadeImage, maxImageEvent } from '../../providers/content/made-images.ts';
import { addDetail, plainDetail } from '../../providers/content/reasoning-details.ts';
import type { DeltaPart, FinishPart, RoutePart } from './stream-writer.ts';

/** A complete answer, put together from its parts. */
export interface Collected {
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningDetails: readonly ReasoningDetail[];
  readonly refusal: string;
  readonly annotations: readonly Readonly<Record<string, unknown>>[];
  readonly images: readonly MadeImage[];
  readonly toolCalls: readonly ToolCall[];
  /** OpenAI's log probabilities of all tokens in order. Null when none came. */
  readonly logprobs: Readonly<Record<string, readonly unknown[] | null>> | null;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly fragments: string[];
}

/**
 * More than any model writes, even with the log probabilities of 20 alternatives for each token. It keeps a provider from filling the
 * memory.
 */
const maxAnswerChars = 67_108_864;
/** The limit for all images of an answer together. */
const maxImageChars = 2 * maxImageEvent;
/** The memory of the smallest part besides its text. A model that writes 128,000 tokens may send each in a part of its own. */
const partChars = 16;

/** Collects parts in the order in which they come. */
export interface Collector {
  /** Throws `upstream_bad_response` when there are too many. */
  add(part: DeltaPart): void;
  result(): Collected;
}

export function createCollector(): Collector {
  const texts: string[] = [];
  const reasonings: string[] = [];
  const details: ReasoningDetail[] = [];
  const refusals: string[] = [];
  const annotations: Readonly<Record<string, unknown>>[] = [];
  const images: MadeImage[] = [];
  const calls = new Map<number, OpenCall>();
  const logprobs = createLogprobs();
  const limit = createSizeLimit();
  return {
    add(part) {
      limit(part);
      switch (part.type) {
        case 'text-delta':
          texts.push(part.text);
          if (part.logprobs) logprobs.add(part.logprobs);
          break;
        case 'reasoning-delta':
          reasonings.push(part.text);
          for (const detail of part.details ?? [plainDetail(part.text)]) addDetail(details, detail);
          break;
        case 'refusal-delta':
          refusals.push(part.text);
          break;
        case 'annotations':
          annotations.push(...part.annotations);
          break;
        case 'image':
          images.push(part);
          break;
        case 'tool-call-start':
          calls.set(part.index, { id: part.id, name: part.name, extra: part.extraContent, fragments: [] });
          break;
        case 'tool-call-delta':
          calls.get(part.index)?.fragments.push(part.arguments);
          break;
      }
    },
    result: () => ({
      text: texts.join(''),
      reasoning: reasonings.join(''),
      reasoningDetails: details,
      refusal: refusals.join(''),
      annotations,
      images,
      toolCalls: [...calls.entries()].toSorted(([a], [b]) => a - b).map(([, call]) => getToolCall(call)),
      logprobs: logprobs.result(),
    }),
  };
}

/** Counts the size of one answer, and throws `upstream_bad_response` when it is too large. */
export function createSizeLimit(): (part: DeltaPart) => void {
  const fits = createSizeCheck(maxAnswerChars);
  return (part) => {
    if (!fits(part)) throw tooLong();
  };
}

/** Returns a check whether all parts so far have at most this many characters, not counting images. */
export function createSizeCheck(maxChars: number): (part: DeltaPart) => boolean {
  let chars = 0;
  let imageChars = 0;
  return (part) => {
    if (part.type === 'image') imageChars += part.url.length;
    else chars += getSize(part);
    return chars <= maxChars && imageChars <= maxImageChars;
  };
}

function getSize(part: Exclude<DeltaPart, { type: 'image' }>): number {
  if (part.type === 'tool-call-start') return partChars + part.name.length + sizeOfJson(part.extraContent);
  if (part.type === 'tool-call-delta') return partChars + part.arguments.length;
  if (part.type === 'annotations') return partChars + sizeOfJson(part.annotations);
  const more = part.type === 'text-delta' ? part.logprobs : part.type === 'reasoning-delta' ? part.details : undefined;
  return partChars + part.text.length + sizeOfJson(more);
}

const sizeOfJson = (value: object | undefined) => (value === undefined ? 0 : JSON.stringify(value).length);

const tooLong = () =>
  new AppError('upstream_bad_response', 'The answer is longer than 64 MiB, which is all the gateway keeps of one.', {
    origin: 'gateway',
  });

/** Each piece has lists of its own tokens (`content`, `refusal`). A list is null until the first piece has one. */
function createLogprobs() {
  const lists = new Map<string, unknown[] | null>();
  return {
    add(piece: Readonly<Record<string, unknown>>) {
      for (const [name, value] of Object.entries(piece)) {
        const list = lists.get(name) ?? (Array.isArray(value) ? [] : null);
        if (Array.isArray(value)) for (const token of value) list?.push(token);
        lists.set(name, list);
      }
    },
    result: () => (lists.size === 0 ? null : Object.fromEntries(lists)),
  };
}

function getToolCall(call: OpenCall): ToolCall {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.fragments.join('') },
    ...(call.extra ? { extra_content: { ...call.extra } } : {}),
  };
}

export interface NonStreamingAnswer {
  readonly route: RoutePart;
  readonly finish: FinishPart;
  readonly content: Collected;
}

/** Reads an answer to its end. Rejects with the engine's error. */
export function collectAnswer(answer: (reader: AnswerSink) => void): Promise<NonStreamingAnswer> {
  const collector = createCollector();
  let route: RoutePart | null = null;
  let finish: FinishPart | null = null;
  return new Promise((resolve, reject) => {
    answer({
      take(parts) {
        for (const part of parts) {
          if (part.type === 'route') route = part;
          else if (part.type === 'finish') finish = part;
          else collector.add(part);
        }
        return undefined;
      },
      end() {
        if (!route || !finish) return reject(new Error('an answer ended without its route or its finish'));
        resolve({ route, finish, content: collector.result() });
      },
      fail: reject,
    });
  });
}
