import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ProblemText } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';

/** Written by `scripts/package.mjs` into the archive, whose integrity the program checks. */
const feed = z.object({ url: z.url(), publicKey: z.string().min(1).optional() });

export interface Build {
  /** Where the file of the feed would be. */
  readonly file: string;
  /** The kind of package that this copy was installed by; null: it was not installed. */
  readonly installedBy: string | null;
}

/** Why this copy is not replaced by newer versions; null: it is, by the feed of its build. */
export function withoutUpdates({ file, installedBy }: Build): ProblemText | null {
  if (installedBy === null) return tell('updatesNotInstalled');
  const read = readFeed(file);
  if (!read) return tell('updatesNoFeed');
  if (!isSafe(read.url)) return tell('updateInsecure');
  if (read.publicKey === undefined) return tell('updatesUnsigned');
  return null;
}

/** Null where there is none that can be read. */
export function readFeed(file: string): z.infer<typeof feed> | null {
  try {
    return feed.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Addresses of the feed, of what it names, and of every redirect: https, or this computer. */
export function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname));
}
