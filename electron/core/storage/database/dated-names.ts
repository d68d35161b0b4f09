const dated = /^([a-z-]+)-(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db$/;

/** The name of a database copy contains its time: `auto-2026-11-21T08-15-00-000Z.db`. */
export const datedName = (prefix: string, timeMs: number): string =>
  `${prefix}-${new Date(timeMs).toISOString().replace(/[:.]/g, '-')}.db`;

/** Returns null if the name isn't that of a copy. */
export function readDatedName(name: string): { readonly prefix: string; readonly createdAt: number } | null {
  const [, prefix, year, month, day, hour, minute, second, ms] = dated.exec(name) ?? [];
  if (prefix === undefined) return null;
  return { prefix, createdAt: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`) };
}

/** The name of a removed copy for as long as the removal can be undone. */
export const removedName = (name: string): string => `${name}.removed`;
