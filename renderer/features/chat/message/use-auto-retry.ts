import { useEffect, useEffectEvent, useState } from 'react';
import { useCountdown } from '../../../browser/use-countdown.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { useConfirmsRoute } from '../routing/use-routing.ts';
import type { ThreadItem } from '../state/thread-items.ts';

/** Failures that pass, of requests that were refused before anything was done. */
const passing = new Set([
  ...['rate_limit_exceeded', 'token_rate_limit_exceeded', 'concurrency_limit_exceeded'],
  ...['upstream_rate_limited', 'upstream_overloaded', 'server_overloaded'],
]);
const maxTries = 2;
const minWaitMs = 3000;
const maxWaitMs = 60_000;
/** An answer that failed longer ago than this was left as it is: nobody waits for it. */
const freshMs = 5000;

/** How often each question was asked again by itself, and the answers for which that was refused. */
const tries = new Map<string, number>();
const given = new Set<string>();
const getKey = ({ parentId, id }: ThreadItem) => `${parentId} ${id}`;

/** When this answer may be asked for again by itself (epoch milliseconds), or null. */
export function autoRetryAt(item: ThreadItem, now: number): number | null {
  const { error, finishedAt, parentId } = item;
  if (!error || !passing.has(error.code) || error.retryAfterMs === null || finishedAt === null) return null;
  // Whatever had begun may be billed: to ask for it twice is the user’s decision.
  const begun = item.text !== '' || item.reasoning !== '' || item.toolCalls.length > 0 || item.parts.length > 1;
  const billed = item.usage !== null || (item.costUsd !== null && Number(item.costUsd) !== 0);
  if (begun || billed || item.comparison || given.has(getKey(item))) return null;
  const tried = tries.get(parentId ?? '') ?? 0;
  const at = finishedAt + Math.max(error.retryAfterMs, minWaitMs * 2 ** tried);
  if (tried >= maxTries || error.retryAfterMs > maxWaitMs || at + freshMs < now) return null;
  return at;
}

/** Whether the person has gone another way: writes the next message, or has chosen another model. */
const useMovedOn = ({ conversationId, model }: ThreadItem): boolean =>
  useDrafts(({ texts, models }) => (texts[conversationId] ?? '') !== '' || (models[conversationId] ?? model) !== model);

/**
 * Asks again by itself where an error says when, unless the person goes another way meanwhile. Returns the seconds left, and
 * how to stop it.
 */
export function useAutoRetry(item: ThreadItem, wanted: boolean, retry: () => void) {
  const confirms = useConfirmsRoute();
  const [at, setAt] = useState(() => autoRetryAt(item, Date.now()));
  const movedOn = useMovedOn(item);
  const allowed = wanted && !movedOn && !confirms(item.model ?? 'router');
  const seconds = useCountdown(allowed ? at : null);
  const again = useEffectEvent(() => {
    given.add(getKey(item));
    tries.set(item.parentId ?? '', (tries.get(item.parentId ?? '') ?? 0) + 1);
    retry();
  });
  useEffect(() => {
    if (!allowed || at === null) return;
    const timer = setTimeout(again, Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  }, [allowed, at]);
  const stop = () => {
    given.add(getKey(item));
    setAt(null);
  };
  // For good: a field that is emptied by sending would begin it anew.
  const onMovedOn = useEffectEvent(stop);
  useEffect(() => {
    if (movedOn) onMovedOn();
  }, [movedOn]);
  return { seconds: allowed && at !== null ? seconds : null, stop };
}
