/**
 * Calendar days in a time zone. Days are `YYYY-MM-DD`, and instants are milliseconds since the epoch. A zone is an IANA
 * name such as `Europe/Berlin`; `Intl` throws a RangeError for anything else, so check with `isTimeZone` first.
 */

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** No time zone is further than this from UTC, with a margin for zones that change their offset. */
const farthestMs = 16 * 60 * minuteMs;

const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...({ timeZone: zone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' } as const),
    ...({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const),
  });
  formats.set(zone, made);
  return made;
}

export function isTimeZone(name: string): boolean {
  try {
    getFormat(name);
    return true;
  } catch {
    return false;
  }
}

/** How far a zone's clocks are ahead of UTC at an instant, in milliseconds. */
function offsetAt(zone: string, atMs: number): number {
  if (zone === 'UTC') return 0;
  const minute = Math.floor(atMs / minuteMs) * minuteMs;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of getFormat(zone).formatToParts(minute)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute: minutes = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minutes) - minute;
}

const numberAt = (zone: string, atMs: number): number => Math.floor((atMs + offsetAt(zone, atMs)) / dayMs);
const toNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs;

/** Returns a day from the number of days since 1970-01-01. */
export const dayOfNumber = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10);

/** Returns the day in a zone at an instant. */
export const dayIn = (zone: string, atMs: number): string => dayOfNumber(numberAt(zone, atMs));

export const addDays = (day: string, days: number): string => dayOfNumber(toNumber(day) + days);

/** Returns the days from `first` to `last`, both included; none if `last` is earlier. */
export const daysBetween = (first: string, last: string): string[] =>
  Array.from({ length: Math.max(0, toNumber(last) - toNumber(first) + 1) }, (_, index) => addDays(first, index));

/**
 * Returns the instant at which a day begins in a zone. If the zone skipped that day, this is the beginning of the next
 * one.
 */
export function startOfDay(zone: string, day: string): number {
  const wanted = toNumber(day);
  const [earliest, latest] = [wanted * dayMs - farthestMs, wanted * dayMs + farthestMs];
  return firstMinute(earliest, latest, (atMs) => numberAt(zone, atMs) >= wanted);
}

/** Finds the first minute at which a condition holds. The condition must stay true from then on. */
function firstMinute(earliestMs: number, latestMs: number, holds: (atMs: number) => boolean): number {
  let [before, after] = [Math.floor(earliestMs / minuteMs), Math.ceil(latestMs / minuteMs)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (holds(middle * minuteMs)) after = middle;
    else before = middle;
  }
  return after * minuteMs;
}

export interface ZoneOffset {
  /** The end of the offset, exclusive. */
  readonly untilMs: number;
  readonly offsetMs: number;
}

/** Returns a zone's offsets during a period, in order. The last one ends with the period. */
export function offsetsIn(zone: string, startMs: number, endMs: number): ZoneOffset[] {
  const offsets: ZoneOffset[] = [];
  let offsetMs = offsetAt(zone, startMs);
  for (let atMs = startMs; atMs < endMs; atMs += dayMs) {
    const nextMs = Math.min(atMs + dayMs, endMs);
    const next = offsetAt(zone, nextMs);
    if (next === offsetMs) continue;
    const held = offsetMs;
    offsets.push({ untilMs: firstMinute(atMs, nextMs, (middle) => offsetAt(zone, middle) !== held), offsetMs });
    offsetMs = next;
  }
  return [...offsets, { untilMs: endMs, offsetMs }];
}
