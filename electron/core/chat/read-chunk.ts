import type { ReportedChunk } from '#shared/client/reported.ts';
import { type Citation, citation, type Message } from '#shared/contract/chat/conversations.ts';
import { maxCitations } from '#shared/contract/common/limits.ts';
import { refusal } from '#shared/language/refusals.ts';
import { costOfChunk, usageOfChunk } from '../billing/costs/cost.ts';
import type { DescribeModel } from '../gateways/connection/model-facts.ts';
import type { createCallReader } from './read-calls.ts';

/** The text of a chunk. A refusal is shown as text: it is what the model said. */
export function getWords(chunk: ReportedChunk): { text: string; reasoning: string } {
  const delta = chunk.choices[0]?.delta;
  return { text: `${delta?.content ?? ''}${delta?.refusal ?? ''}`, reasoning: delta?.reasoning_content ?? '' };
}

/** Ten times what any model writes: a server that never ends its answer must not fill the memory. */
const maxAnswerChars = 8_000_000;

export function refuseEndless({ text, reasoning }: Message): void {
  if (text.length + reasoning.length > maxAnswerChars) throw refusal('upstream_truncated', 'answerTooLong');
}

/** Images of a chunk: each a base64 data URL, or an https address. */
export const imagesIn = (chunk: ReportedChunk): string[] =>
  (chunk.choices[0]?.delta.images ?? []).map(({ image_url: { url } }) => url);

/** All other facts of a chunk, as changes of the message. `source`: the account that pays. `readCalls`: of this answer. */
export function getFacts(
  chunk: ReportedChunk,
  message: Message,
  modelFacts: DescribeModel,
  source: string,
  readCalls: ReturnType<typeof createCallReader>,
): Partial<Message> {
  const deltas = chunk.choices[0]?.delta.tool_calls;
  const finish = chunk.choices[0]?.finish_reason;
  return {
    ...served(chunk, message, modelFacts),
    ...(finish ? { finishReason: finish } : {}),
    ...(deltas?.length ? { toolCalls: readCalls(deltas) } : {}),
    ...citations(chunk, message),
    ...bill(chunk, modelFacts, source),
  };
}

function served(chunk: ReportedChunk, message: Message, modelFacts: DescribeModel): Partial<Message> {
  const { routing } = chunk;
  const provider = chunk.provider ?? message.servedProvider;
  // Other gateways may say it in the last chunk alone, or not at all.
  if (chunk.model === '' || (message.servedModel !== null && !routing)) return {};
  const facts = modelFacts(servedId(chunk));
  return {
    servedProvider: provider,
    servedModel: chunk.model,
    modelName: facts?.name ?? modelFacts(message.model ?? '')?.name ?? chunk.model,
    simulated: facts?.simulated ?? provider === 'sandbox',
    ...(routing && routing.policy !== 'direct' ? { routeReason: routing.reason } : {}),
  };
}

function bill(chunk: ReportedChunk, modelFacts: DescribeModel, source: string): Partial<Message> {
  if (!chunk.usage) return {};
  return { usage: usageOfChunk(chunk.usage), ...costOfChunk(chunk, modelFacts(servedId(chunk)), source) };
}

function servedId(chunk: ReportedChunk): string {
  return chunk.routing?.selected ?? (chunk.provider ? `${chunk.provider}/${chunk.model}` : chunk.model);
}

/** Pages of the web that the answer refers to, in OpenAI's words (wire contract §1.3). */
function citations(chunk: ReportedChunk, { citations: before = [] }: Message): Partial<Message> {
  const annotations = chunk.choices[0]?.delta.annotations ?? [];
  const found = annotations.flatMap(({ type, url_citation: page }): Citation[] => {
    if (type !== 'url_citation' || typeof page !== 'object' || page === null) return [];
    const { url, title, start_index: from, end_index: to } = page as Record<string, unknown>;
    const read = citation.safeParse({ url, title: title ?? '', from: from ?? 0, to: to ?? 0 });
    return read.success && isWebAddress(read.data.url) ? [read.data] : [];
  });
  return found.length > 0 ? { citations: [...before, ...found].slice(0, maxCitations) } : {};
}

const isWebAddress = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
