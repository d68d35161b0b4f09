import { goDuration } from './go-duration.ts';
import type { WindowState } from './limit-store.ts';

/** OpenAI's headers for one window (wire contract §7); none where the plan has no such limit. */
export function rateHeaders(of: 'requests' | 'tokens', state: WindowState | null): Record<string, string> {
  if (!state) return {};
  return {
    [`x-ratelimit-limit-${of}`]: String(state.limit),
    [`x-ratelimit-remaining-${of}`]: String(state.remaining),
    [`x-ratelimit-reset-${of}`]: goDuration(state.resetMs),
  };
}
