import type { Refusal } from './limit-store.ts';

/** For so long a refusal is believed without asking again: a caller that does not wait costs no statement per attempt. */
const believedMs = 250;
const sizeLimit = 10_000;

/** Refusals of the last quarter second. What is given back meanwhile is noticed that much later. */
export function createRefused(elapsed: () => number) {
  const known = new Map<string, { readonly refusal: Refusal; readonly cost: number; readonly since: number }>();
  return {
    find(key: string, limit: number, cost: number): Refusal | null {
      const entry = known.get(key);
      if (!entry || entry.refusal.limit !== limit || cost < entry.cost) return null;
      const passed = elapsed() - entry.since;
      if (passed >= Math.min(believedMs, entry.refusal.retryAfterMs)) {
        known.delete(key);
        return null;
      }
      const { refusal } = entry;
      return {
        ...refusal,
        resetMs: Math.max(0, Math.round(refusal.resetMs - passed)),
        retryAfterMs: Math.max(1, Math.ceil(refusal.retryAfterMs - passed)),
      };
    },
    add(key: string, limit: number, cost: number, refusal: Refusal): void {
      if (known.size >= sizeLimit) known.clear();
      known.set(key, { refusal: { ...refusal, limit }, cost, since: elapsed() });
    },
  };
}
