import { goDuration } from './go-duration.ts';
import type { WindowState } from './limit-store.ts';

const names = {
  requests: ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  tokens: ['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
} as const;

/** Adds OpenAI's headers for one window (wire contract §7); none where the plan has no such limit. */
export function addRateHeaders(
  headers: Record<string, string>,
  of: 'requests' | 'tokens',
  state: WindowState | null,
): void {
  if (!state) return;
  const [limit, remaining, reset] = names[of];
  headers[limit] = String(state.limit);
  headers[remaining] = String(state.remaining);
  headers[reset] = goDuration(state.resetMs);
}
