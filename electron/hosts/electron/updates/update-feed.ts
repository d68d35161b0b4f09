import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ProblemText } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';

/** The file that `scripts/package.mjs` writes into the archive. The app checks the archive's integrity. */
const feed = z.object({ url: z.url(), publicKey: z.string().min(1).optional() });

export interface Build {
  /** The path where the feed's file would be. */
  readonly file: string;
  /** The kind of package from which this app was installed. Null if it wasn't installed. */
  readonly installedBy: string | null;
}

/** Explains why this app isn't updated. Returns null if it is, from the feed of its build. */
export function withoutUpdates({ file, installedBy }: Build): ProblemText | null {
  if (installedBy === null) return toProblemText('updatesNotInstalled');
  const read = readFeed(file);
  if (!read) return toProblemText('updatesNoFeed');
  if (!isSafe(read.url)) return toProblemText('updateInsecure');
  if (read.publicKey === undefined) return toProblemText('updatesUnsigned');
  return null;
}

/** Returns null if there is no readable file. */
export function readFeed(file: string): z.infer<typeof feed> | null {
  try {
    return feed.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Whether an address uses https or is on this computer. Required of the feed, of the packages that it names, and of
 * every redirect.
 */
export function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname));
}
