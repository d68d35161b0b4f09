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
