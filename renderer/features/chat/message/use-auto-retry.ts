import { useEffect, useEffectEvent, useState } from 'react';
import { useCountdown } from '../../../browser/use-countdown.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { useConfirmsRoute } from '../confirmations/use-confirms-route.ts';
import type { ThreadItem } from '../state/thread-items.ts';

/** Codes of temporary failures, where the request was refused before any work was done. */
const passing = new Set([
  ...['rate_limit_exceeded', 'token_rate_limit_exceeded', 'concurrency_limit_exceeded'],
  ...['upstream_rate_limited', 'upstream_overloaded', 'server_overloaded'],
]);
const maxTries = 2;
const minWaitMs = 3000;
const maxWaitMs = 60_000;
/** A retry that was due longer ago than this is dropped: nobody is waiting for it any more. */
const freshMs = 5000;

/** How often each question was retried automatically, and the answers that were retried or must not be. */
const tries = new Map<string, number>();
const handled = new Set<string>();
const getKey = ({ parentId, id }: ThreadItem) => `${parentId} ${id}`;

/** Returns when this answer may be retried automatically, in epoch milliseconds, or null for never. */
export function autoRetryAt(item: ThreadItem, now: number): number | null {
  const { error, finishedAt, parentId } = item;
  if (!error || !passing.has(error.code) || error.retryAfterMs === null || finishedAt === null) return null;
  // An answer that had begun may be billed, so asking twice is the user's decision.
  const begun = item.text !== '' || item.reasoning !== '' || item.toolCalls.length > 0 || item.parts.length > 1;
  const billed = item.usage !== null || (item.costUsd !== null && Number(item.costUsd) !== 0);
  if (begun || billed || item.comparison || handled.has(getKey(item))) return null;
  const tried = tries.get(parentId ?? '') ?? 0;
  const retryAt = finishedAt + Math.max(error.retryAfterMs, minWaitMs * 2 ** tried);
  if (tried >= maxTries || error.retryAfterMs > maxWaitMs || retryAt + freshMs < now) return null;
  return retryAt;
}

/** Whether the user has moved on: they are writing the next message, or chose another model. */
const useMovedOn = ({ conversationId, model }: ThreadItem): boolean =>
  useDrafts(({ texts, models }) => (texts[conversationId] ?? '') !== '' || (models[conversationId] ?? model) !== model);

/**
 * Retries automatically if the error contains a waiting time, unless the user moves on meanwhile. Returns the seconds
 * left and a function that cancels the retry.
 */
export function useAutoRetry(item: ThreadItem, wanted: boolean, retry: () => void) {
  const confirms = useConfirmsRoute();
  const [retryAt, setRetryAt] = useState(() => autoRetryAt(item, Date.now()));
  const movedOn = useMovedOn(item);
  const allowed = wanted && !movedOn && !confirms(item.model ?? 'router');
  const seconds = useCountdown(allowed ? retryAt : null);
  const again = useEffectEvent(() => {
    handled.add(getKey(item));
    tries.set(item.parentId ?? '', (tries.get(item.parentId ?? '') ?? 0) + 1);
    retry();
  });
  useEffect(() => {
    if (!allowed || retryAt === null) return;
    const timer = setTimeout(again, Math.max(0, retryAt - Date.now()));
    return () => clearTimeout(timer);
  }, [allowed, retryAt]);
  const stop = () => {
    handled.add(getKey(item));
    setRetryAt(null);
  };
  // Cancels for good. Otherwise, sending the message would empty the composer and start the countdown again.
  const onMovedOn = useEffectEvent(stop);
  useEffect(() => {
    if (movedOn) onMovedOn();
  }, [movedOn]);
  return { seconds: allowed && retryAt !== null ? seconds : null, stop };
}
