/** An upper limit for plausible waits. It keeps the number within what storage and display can handle. */
const maxMs = 24 * 3_600_000;

/**
 * The requested wait in milliseconds: from `retry-after-ms`, otherwise from `Retry-After` in seconds or as a date (RFC
 * 9110).
 */
export function getRetryAfter(headers: Headers): number | null {
  const [ms, after] = [headers.get('retry-after-ms'), headers.get('retry-after')];
  const seconds = after === null ? Number.NaN : Number(after);
  return (
    getWait(ms === null ? Number.NaN : Number(ms)) ??
    getWait(seconds * 1000) ??
    getWait(Date.parse(after ?? '') - Date.parse(headers.get('date') ?? new Date().toUTCString()))
  );
}

/**
 * The requested wait of an error inside a stream, where headers are no longer possible: `error.details.retry_after_ms`.
 */
export const retryAfterIn = (details: Readonly<Record<string, unknown>> | undefined): number | null =>
  typeof details?.retry_after_ms === 'number' ? getWait(details.retry_after_ms) : null;

const getWait = (ms: number): number | null => (ms >= 0 ? Math.min(Math.ceil(ms), maxMs) : null);
