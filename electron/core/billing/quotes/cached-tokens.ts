import { searchesIn } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';

/** How long providers cache a prompt. */
const cacheMs = 5 * 60_000;

export const servedBy = ({ servedProvider, servedModel }: Message): string => `${servedProvider}/${servedModel}`;

/** Cached tokens to expect: the previous prompt, if the same model answered it just now and caches. */
export function cachedIn(last: Message | undefined, served: string, promptTokens: number, now: number): number {
  if (!last?.usage?.cachedTokens || last.finishedAt === null || now - last.finishedAt > cacheMs) return 0;
  if (servedBy(last) !== served) return 0;
  return Math.min(promptTokens, last.usage.promptTokens);
}

/** Whether a server counted more for the last question than this one can come to: it adds something, and its bill has no bound. */
export const addsInstructions = (last: Message | undefined, served: string, maxTokens: number): boolean =>
  !!last?.usage && searchesIn(last.bill) === 0 && servedBy(last) === served && last.usage.promptTokens > maxTokens;
