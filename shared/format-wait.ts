/** Writes how long something was waited for, in seconds, minutes or hours. */
export function formatWait(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [count, unit] =
    seconds < 120
      ? [seconds, 'second']
      : seconds < 7_200
        ? [Math.round(seconds / 60), 'minute']
        : [Math.round(seconds / 3_600), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
