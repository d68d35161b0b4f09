import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ChatMessage, ReasoningDetail, ToolCall } from '#shared/wire/chat-request.ts';

/**
 * `reasoning_details`, as OpenRouter spells what a model thought and its vendor signed
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, read 2026-11-22). Clients put the pieces of one `id` together.
 */
export const anthropicFormat = 'anthropic-claude-v1';
export const googleFormat = 'google-gemini-v1';

/** Whose thinking block it is, how many tool calls stood before it, and which of the blocks it was. */
interface BlockPlace {
  readonly model: string;
  readonly callsBefore: number;
  readonly block: number;
}

/** Clients keep a detail's `id` and drop what they do not know: it says where the block belongs. */
export const blockId = ({ model, callsBefore, block }: BlockPlace) => `${model}/${callsBefore}/${block}`;

function getPlace(detail: ReasoningDetail): BlockPlace | null {
  const [, model, callsBefore, block] = /^(.+)\/(\d{1,4})\/(\d{1,4})$/.exec(detail.id ?? '') ?? [];
  if (detail.format !== anthropicFormat || model === undefined) return null;
  return { model, callsBefore: Number(callsBefore), block: Number(block) };
}

/** The text of a piece of reasoning whose vendor has no more to say of it. */
export const plainDetail = (text: string): ReasoningDetail => ({
  type: 'reasoning.text',
  text,
  format: 'unknown',
  index: 0,
});

const growing = ['text', 'summary', 'data', 'signature'] as const;

/** Adds a piece to those of the same block before it. */
export function addDetail(details: ReasoningDetail[], piece: ReasoningDetail): void {
  const last = details.at(-1);
  const continues = last && piece.type !== 'reasoning.encrypted' && samePlace(last, piece);
  if (!continues) return void details.push({ ...piece });
  for (const name of growing) {
    const text = asText(piece[name]);
    if (text) last[name] = `${asText(last[name]) ?? ''}${text}`;
  }
}

const samePlace = (one: ReasoningDetail, other: ReasoningDetail) =>
  ['type', 'id', 'index', 'format'].every((name) => one[name] === other[name]);

type Answer = Extract<ChatMessage, { role: 'assistant' }>;

/**
 * An earlier answer with its reasoning where adapters look for it: the text in `reasoning_content`, what a vendor signed at the
 * call that it led to. State that a call brought itself stays as it is.
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
    tool_calls: calls && details ? calls.map((call, at) => withState(call, at, details)) : calls,
  };
}

const getText = (details: readonly ReasoningDetail[]) =>
  details.map((detail) => asText(detail.text) ?? asText(detail.summary) ?? '').join('');

function withState(call: ToolCall, at: number, details: readonly ReasoningDetail[]): ToolCall {
  if (call.extra_content) return call;
  const state = { ...anthropicState(at, details), ...googleState(call, details), ...foreignState(at, details) };
  return Object.keys(state).length > 0 ? { ...call, extra_content: state } : call;
}

function anthropicState(at: number, details: readonly ReasoningDetail[]): JsonObject {
  const own = details.filter((detail) => getPlace(detail)?.callsBefore === at);
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

/** What another gateway handed out goes back to it as it was, with the first call. */
function foreignState(at: number, details: readonly ReasoningDetail[]): JsonObject {
  const foreign = details.filter((detail) => !getPlace(detail));
  return at === 0 && foreign.length > 0 ? { openrouter: { reasoning_details: foreign } } : {};
}

/** What an upstream calls its reasoning details, as far as they have the form. */
export const detailsIn = (value: unknown): ReasoningDetail[] =>
  asArray(value)
    .map(asObject)
    .filter((detail): detail is ReasoningDetail => typeof detail.type === 'string');

/** The details that a call, or an answer without any, brings back for OpenRouter. */
export function foreignDetails(message: Answer): JsonObject[] {
  const calls = message.tool_calls ?? [];
  const ofCalls = calls.flatMap((call) =>
    asArray(asObject(asObject(call.extra_content).openrouter).reasoning_details).map(asObject),
  );
  return ofCalls.length > 0 ? ofCalls : asArray(message.reasoning_details).map(asObject);
}
