import type { AnswerSum, Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';

/** Usage and cost of all requests of one answer. If one is unknown, so is the sum. */
function getSum(answer: readonly Message[]): AnswerSum {
  const sent = answer.filter(({ requestId, error }) => requestId !== null || !error || !unsent.has(error.code));
  const parts = sent.length > 0 ? sent : answer;
  return { usage: getUsage(parts), ...getCost(parts), bill: getBill(parts) };
}

/** Refused before it was sent, so without usage and cost. */
const unsent = new Set(['cap_exceeded', 'context_length_exceeded', 'unsupported_modality']);

/** Messages, oldest first; each continuation with the sum of its answer’s requests so far. */
export function withSums(messages: readonly Message[]): Message[] {
  const answers = new Map<string, readonly Message[]>();
  return messages.map((message) => {
    const before = message.continues ? answers.get(message.parentId ?? '') : undefined;
    const answer = [...(before ?? []), message];
    answers.set(message.id, answer);
    return before ? { ...message, sum: getSum(answer) } : message;
  });
}

/** The total usage, if every part has one. */
function getUsage(parts: readonly Message[]): Message['usage'] {
  const total = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
  let imageTokens = 0;
  for (const { usage } of parts) {
    if (!usage) return null;
    total.promptTokens += usage.promptTokens;
    total.completionTokens += usage.completionTokens;
    total.cachedTokens += usage.cachedTokens;
    total.reasoningTokens += usage.reasoningTokens;
    imageTokens += usage.imageTokens ?? 0;
  }
  return { ...total, ...(imageTokens > 0 ? { imageTokens } : {}) };
}

const minSure: readonly Message['costSource'][] = ['unknown', 'estimated', 'byok', 'billed', 'uncharged'];

/** The total cost. An unknown part makes it unknown: never a part shown as the whole. */
function getCost(parts: readonly Message[]): Pick<Message, 'costUsd' | 'costSource'> {
  const costSource = minSure.find((source) => parts.some((part) => part.costSource === source)) ?? 'unknown';
  let sum = 0n;
  for (const { costUsd } of parts) {
    if (costUsd === null) return { costUsd: null, costSource: 'unknown' };
    sum += parseUsd(costUsd);
  }
  return { costUsd: formatUsd(nanoUsd(sum)), costSource };
}

/** Bill lines added up by kind, if every part has them. */
function getBill(parts: readonly Message[]): Message['bill'] {
  type Line = NonNullable<Message['bill']>['lines'][number];
  const lines = new Map<Line['kind'], Line>();
  for (const { bill } of parts) {
    if (!bill) return null;
    for (const line of bill.lines) {
      const before = lines.get(line.kind);
      const sum = formatUsd(nanoUsd(parseUsd(before?.usd ?? '0') + parseUsd(line.usd)));
      const tokens = before === undefined ? line.tokens : (before.tokens ?? 0) + (line.tokens ?? 0);
      lines.set(line.kind, { kind: line.kind, tokens, usd: sum });
    }
  }
  return { lines: [...lines.values()] };
}
