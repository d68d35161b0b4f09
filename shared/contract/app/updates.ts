import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText, timeMs } from '../common/fields.ts';

export const updateState = z.object({
  /**
   * `unavailable`: this copy cannot replace itself. `idle`: nothing newer is known. `waiting`: it will be installed when
   * the running answers are complete.
   */
  status: z.enum(['unavailable', 'idle', 'checking', 'downloading', 'ready', 'waiting', 'failed']),
  /** The newer version, as soon as it is known. */
  version: z.string().max(100).nullable(),
  /** Of the download. */
  percent: z.int().min(0).max(100).nullable(),
  /** What is new in it: Markdown of the release. HTML in it is shown as text. */
  notes: z.string().max(20_000).nullable(),
  /** When the feed was read last. */
  checkedAt: timeMs.nullable(),
  /** Why it failed or is unavailable. */
  problem: problemText.nullable(),
});

/** Newer versions of the installed app; nothing without the capability `updates`. */
export const updatesContract = {
  get: oc.output(updateState),
  /** Reads the feed now, and downloads what is newer. */
  check: oc.output(updateState),
  /** Restarts into the downloaded version, after the running answers. */
  install: oc.output(updateState),
  /** Does not wait for the answers any more: it is installed when the app is ended. */
  postpone: oc.output(updateState),
};

export type UpdateState = z.infer<typeof updateState>;
