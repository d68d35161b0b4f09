import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ProblemText } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';

/** Written by `scripts/package.mjs` into the archive, whose integrity the program checks. */
const feed = z.object({ url: z.url(), publisherName: z.array(z.string().min(1)).min(1).optional() });

export interface Build {
  /** Where the file of the feed would be. */
  readonly file: string;
  readonly platform: NodeJS.Platform;
  /** The kind of package that this copy was installed by; null: it was not installed. */
  readonly installedBy: string | null;
}

/** Why this copy is not replaced by newer versions; null: it is, by the feed of its build. */
export function withoutUpdates({ file, platform, installedBy }: Build): ProblemText | null {
  if (installedBy === null) return tell('updatesNotInstalled');
  const read = readFeed(file);
  if (!read) return tell('updatesNoFeed');
  if (!isSafe(read.url)) return tell('updateInsecure');
  // electron-updater checks a signature there only if it knows whose it should be.
  if (platform === 'win32' && !read.publisherName) return tell('updatesUnsigned');
  return null;
}

function readFeed(file: string): z.infer<typeof feed> | null {
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
