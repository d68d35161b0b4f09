const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
];

/** Writes a wait in seconds, minutes, hours or days, rounded up. A unit is used from two of it on. */
export function formatWait(ms: number): string {
  const total = Math.max(1, Math.ceil(ms / 1_000));
  const { unit, seconds } = units.find((one) => total >= 2 * one.seconds) ?? { unit: 'second', seconds: 1 };
  const count = Math.ceil(total / seconds);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
