import { AppError } from '#shared/errors.ts';

/** The current time in UTC and in a time zone, in a form that models read reliably. Throws `invalid_input`. */
export function currentTime(now: number, timeZone: string | null): string {
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${new Date(now).toISOString()} (UTC)\n${inZone(now, zone)} (${zone})`;
}

function inZone(now: number, timeZone: string): string {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' });
    return format.format(now);
  } catch (error) {
    if (error instanceof RangeError)
      throw new AppError(
        'invalid_input',
        `There is no time zone "${timeZone.slice(0, 60)}". Use a name such as Europe/Berlin.`,
      );
    throw error;
  }
}
