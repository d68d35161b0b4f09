import { estimateInputTokens } from '#gateway/providers/content/estimate-tokens.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Model } from '#shared/wire/model.ts';
import { wordsWithCalls } from '../../request/call-messages.ts';
import { type HistoryEntry, sendable } from '../../request/history.ts';
import { purposeOfRequest } from '../../request/purpose-of-request.ts';

export interface CompactPlan {
  /** The last message that the summary replaces. */
  readonly throughId: string;
  /** How many messages it replaces, including those of an earlier summary. */
  readonly messages: number;
  readonly body: CompletionRequestBody;
}

const answerTokens = 1500;
const instruction =
  'Summarise the conversation below so that it can go on without its text. Keep names, numbers, decisions, code ' +
  'identifiers and open questions exactly. Write in the language of the conversation, as notes, without an introduction.';

/**
 * The older half, by tokens, of what is still sent, limited by what the model can read at once. It ends with an answer,
 * so that the rest begins with a question. Null if nothing is gained.
 */
export function planCompact(
  branch: readonly HistoryEntry[],
  before: { throughId: string; text: string } | null,
  record: Model | null,
  conversationId: string,
  model: string,
): CompactPlan | null {
  const entries = sendable(branch);
  const begin = before ? entries.findIndex(({ id }) => id === before.throughId) + 1 : 0;
  const after = entries.slice(begin);
  const sizes = after.map((entry) =>
    estimateInputTokens([{ role: 'assistant', content: wordsWithCalls(entry) }], undefined),
  );
  const half = sizes.reduce((sum, size) => sum + size, 0) / 2;
  const freeTokens =
    (record?.context_length ?? Number.POSITIVE_INFINITY) - answerTokens - 500 - (before?.text.length ?? 0);
  let sum = 0;
  let end = 0;
  for (const [at, size] of sizes.entries()) {
    sum += size;
    if (sum > freeTokens || at >= after.length - 2) break;
    if (after[at]?.role === 'assistant' && after[at + 1]?.role !== 'assistant') end = at + 1;
    if (sum >= half && end > 0) break;
  }
  const last = after[end - 1];
  if (end < 2 || !last) return null;
  const takesLimit = !record || record.supported_parameters.includes('max_tokens');
  return {
    throughId: last.id,
    messages: begin + end,
    body: {
      model,
      messages: [
        { role: 'system', content: instruction },
        { role: 'user', content: transcript(before?.text ?? null, after.slice(0, end)) },
      ],
      ...(takesLimit ? { max_tokens: answerTokens } : {}),
      ...purposeOfRequest(record?.other === true, 'compact', conversationId),
    },
  };
}

function transcript(before: string | null, entries: readonly HistoryEntry[]): string {
  const lines = entries.map((entry) => {
    const { role, attachments } = entry;
    const files = attachments.map(({ name }) => `[attached: ${name}]\n`).join('');
    return `${role === 'user' ? 'User' : 'Assistant'}:\n${files}${wordsWithCalls(entry)}`;
  });
  return [...(before === null ? [] : [`Summary of what came before:\n${before}`]), ...lines].join('\n\n');
}
