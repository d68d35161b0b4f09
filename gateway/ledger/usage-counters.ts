const dayMs = 86_400_000;
let lastDay = { number: 0, text: '1970-01-01' };

/** `YYYY-MM-DD` in UTC. Nearly every call is for the day of the one before. */
export function dayOf(milliseconds: number): string {
  const number = Math.floor(milliseconds / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: new Date(milliseconds).toISOString().slice(0, 10) };
  return lastDay.text;
}
