/**
 * A duration as Go's `time.ParseDuration` reads it, which is how OpenAI's `x-ratelimit-reset-*` headers are written
 * (wire contract §7): `12ms`, `1s`, `6m0s`, `1h0m0s`.
 */
export function goDuration(milliseconds: number): string {
  const ms = Math.max(0, Math.ceil(milliseconds));
  if (ms < 1000) return ms === 0 ? '0s' : `${ms}ms`;
  const fraction =
    ms % 1000 === 0
      ? ''
      : `.${String(ms % 1000)
          .padStart(3, '0')
          .replace(/0+$/, '')}`;
  const seconds = `${Math.floor(ms / 1000) % 60}${fraction}s`;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
