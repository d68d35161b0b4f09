import { formatUsd } from '#shared/money.ts';
import type { PromptResponse } from '#shared/wire/chat-response.ts';
import type { ChatRequest, CustomTools } from '../../engine/answer.ts';
import { errorEnvelope } from '../../http/error-response.ts';
import { imagesToWire } from '../../providers/content/made-images.ts';
import { type Collected, createCollector } from './collect-answer.ts';
import type { FormedAnswer } from './kept-answer.ts';
import { doneEvent, type FinishPart, getEvent, type RoutePart, type StreamWriter } from './stream-writer.ts';
import { callFor } from './tools/custom-tools.ts';

export interface AnswerIdentity {
  /** `chat_…` or `chatcmpl-…`. */
  readonly id: string;
  readonly requestId: string;
  /** Unix seconds. */
  readonly created: number;
}

/** The non-streaming answer of `POST /chat` (wire contract §1.2). */
export function promptResponse(
  { identity, route, finish, content }: FormedAnswer,
  { customTools }: Pick<ChatRequest, 'customTools'>,
): PromptResponse {
  const { id, created } = identity;
  const fields = finalFields(id, route, finish, content, customTools);
  return { object: 'chat', created, ...fields, text: content.text + content.refusal };
}

function finalFields(id: string, route: RoutePart, finish: FinishPart, content: Collected, custom: CustomTools) {
  const { usage } = finish;
  return {
    id,
    provider: route.provider,
    model: route.model,
    tokens: {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
      cached_tokens: usage.cachedTokens,
      reasoning_tokens: usage.reasoningTokens,
      ...(usage.imageTokens ? { image_tokens: usage.imageTokens } : {}),
      ...(usage.searches ? { web_searches: usage.searches } : {}),
    },
    finish_reason: finish.reason,
    tool_calls: content.toolCalls.map((call) => callFor(call, custom)),
    ...(content.annotations.length ? { annotations: [...content.annotations] } : {}),
    ...(content.images.length ? { images: imagesToWire(content.images) } : {}),
    cost_usd: formatUsd(finish.cost),
    byok: finish.byok,
    routing: finish.routing,
    warnings: [...finish.warnings],
  };
}

/** Writes the events of a streamed `POST /chat`: every event except an error has `text`, and the last one has `done`. */
export function createPromptWriter({ id, requestId }: AnswerIdentity, custom: CustomTools): StreamWriter {
  const collector = createCollector();
  let route: RoutePart | null = null;
  return {
    opening(part) {
      route = part;
      return '';
    },
    delta(part) {
      if (part.type === 'text-delta' || part.type === 'refusal-delta') return toEvent({ text: part.text });
      if (part.type === 'reasoning-delta') return part.text === '' ? '' : toEvent({ text: '', reasoning: part.text });
      collector.add(part);
      return '';
    },
    closing(finish) {
      if (!route) throw new Error('an answer was closed before it was opened');
      return (
        toEvent({ text: '', done: true, ...finalFields(id, route, finish, collector.result(), custom) }) + doneEvent
      );
    },
    failure: (error) => toEvent({ text: '', ...errorEnvelope(error, requestId), id }),
  };
}

const toEvent = (data: object) => getEvent(JSON.stringify(data));
