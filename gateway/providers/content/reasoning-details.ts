import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ChatMessage, ReasoningDetail, ToolCall } from '#shared/wire/chat-request.ts';

/**
 * Formats of `reasoning_details`, in which OpenRouter sends what a model thought and its vendor signed
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, read 2026-11-22). Clients join the pieces that have the same
 * `id`.
 */
export const anthropicFormat = 'anthropic-claude-v1';
export const googleFormat = 'google-gemini-v1';

/** The place of a thinking block: its model, the number of tool calls before it, and its index among the blocks. */
interface BlockPlace {
  readonly model: string;
  readonly callsBefore: number;
  readonly block: number;
}

/**
 * Writes the place of a block into its id, because clients keep a detail's `id` and drop fields that they don't know.
 */
export const blockId = ({ model, callsBefore, block }: BlockPlace) => `${model}/${callsBefore}/${block}`;

function getPlace(detail: ReasoningDetail): BlockPlace | null {
  const [, model, callsBefore, block] = /^(.+)\/(\d{1,4})\/(\d{1,4})$/.exec(detail.id ?? '') ?? [];
  if (detail.format !== anthropicFormat || model === undefined) return null;
  return { model, callsBefore: Number(callsBefore), block: Number(block) };
}

/** A piece of reasoning text from a vendor that adds no signature and no id. */
export const plainDetail = (text: string): ReasoningDetail => ({
  type: 'reasoning.text',
  text,
  format: 'unknown',
  index: 0,
});

const growing = ['text', 'summary', 'data', 'signature'] as const;

/** Adds a piece to the list, or joins it with the last one if both belong to the same block. */
export function addDetail(details: ReasoningDetail[], piece: ReasoningDetail): void {
  const last = details.at(-1);
  const continues = last && piece.type !== 'reasoning.encrypted' && samePlace(last, piece);
  if (!continues) return void details.push({ ...piece });
  for (const name of growing) {
    const text = asText(piece[name]);
    if (text) last[name] = `${asText(last[name]) ?? ''}${text}`;
  }
}

const samePlace = (first: ReasoningDetail, second: ReasoningDetail) =>
  ['type', 'id', 'index', 'format'].every((name) => first[name] === second[name]);

type Answer = Extract<ChatMessage, { role: 'assistant' }>;

/**
 * Moves the reasoning of an earlier answer to where the adapters look for it: the text to `reasoning_content`, the
 * signed parts to the call that they led to. State that a call already has stays unchanged.
 */
export function withReasoning(message: Answer): Answer {
  const { reasoning, reasoning_details: details, ...rest } = message;
  if (reasoning === undefined && details === undefined) return message;
  const text = rest.reasoning_content ?? reasoning ?? getText(details ?? []);
  const calls = rest.tool_calls;
  return {
    ...rest,
    reasoning: undefined,
    reasoning_content: text || undefined,
    reasoning_details: calls?.length ? undefined : details,
    tool_calls: calls && details ? calls.map((call, index) => withState(call, index, details)) : calls,
  };
}

const getText = (details: readonly ReasoningDetail[]) =>
  details.map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '').join('');

function withState(call: ToolCall, index: number, details: readonly ReasoningDetail[]): ToolCall {
  if (call.extra_content) return call;
  const state = { ...anthropicState(index, details), ...googleState(call, details), ...foreignState(index, details) };
  return Object.keys(state).length > 0 ? { ...call, extra_content: state } : call;
}

function anthropicState(index: number, details: readonly ReasoningDetail[]): JsonObject {
  const own = details.filter((detail) => getPlace(detail)?.callsBefore === index);
  const thinking = own.flatMap((detail): JsonObject[] => {
    if (detail.type === 'reasoning.encrypted') return [{ type: 'redacted_thinking', data: detail.data }];
    return detail.signature ? [{ type: 'thinking', thinking: detail.text ?? '', signature: detail.signature }] : [];
  });
  const [first] = own;
  return first && thinking.length > 0 ? { anthropic: { thinking, model: getPlace(first)?.model } } : {};
}

function googleState({ id }: ToolCall, details: readonly ReasoningDetail[]): JsonObject {
  const own = details.find((detail) => detail.format === googleFormat && detail.id === id);
  const signature = asText(own?.data);
  return signature ? { google: { thought_signature: signature } } : {};
}

/** Reasoning details of another gateway are sent back to it unchanged, with the first call. */
function foreignState(index: number, details: readonly ReasoningDetail[]): JsonObject {
  const foreign = details.filter((detail) => !getPlace(detail));
  return index === 0 && foreign.length > 0 ? { openrouter: { reasoning_details: foreign } } : {};
}

/** Reads an upstream's reasoning details and keeps those that have the expected form. */
export const detailsIn = (value: unknown): ReasoningDetail[] =>
  asArray(value)
    .map(asObject)
    .filter((detail): detail is ReasoningDetail => typeof detail.type === 'string');

/** Returns the details that OpenRouter gets back: those of the message's calls, or else those of the message itself. */
export function foreignDetails(message: Answer): JsonObject[] {
  const calls = message.tool_calls ?? [];
  const ofCalls = calls.flatMap((call) =>
    asArray(asObject(asObject(call.extra_content).openrouter).reasoning_details).map(asObject),
  );
  return ofCalls.length > 0 ? ofCalls : asArray(message.reasoning_details).map(asObject);
}
