import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText, timeMs } from '../common/fields.ts';

export const updateState = z.object({
  /**
   * `unavailable`: this installation can't update itself. `idle`: no newer version is known. `waiting`: the update is
   * installed when the running answers are complete.
   */
  status: z.enum(['unavailable', 'idle', 'checking', 'downloading', 'ready', 'waiting', 'failed']),
  /** The newer version, once it is known. */
  version: z.string().max(100).nullable(),
  /** Progress of the download. */
  percent: z.int().min(0).max(100).nullable(),
  /** The release notes as Markdown. HTML in them is shown as text. */
  notes: z.string().max(20_000).nullable(),
  /** When the update feed was last read. */
  checkedAt: timeMs.nullable(),
  /** Why the update failed or is unavailable. */
  problem: problemText.nullable(),
});

/** Updates of the installed app. Does nothing without the capability `updates`. */
export const updatesContract = {
  get: oc.output(updateState),
  /** Reads the update feed now and downloads a newer version if there is one. */
  check: oc.output(updateState),
  /** Restarts into the downloaded version once the running answers are complete. */
  install: oc.output(updateState),
  /** Stops waiting for the answers: the update is installed when the user quits the app. */
  postpone: oc.output(updateState),
};

export type UpdateState = z.infer<typeof updateState>;
