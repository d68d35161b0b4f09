import type { UpdateState } from '#shared/contract/app/updates.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import type { CoreContext } from '../storage/core-context.ts';

const unknown: UpdateState = {
  status: 'unavailable',
  version: null,
  percent: null,
  notes: null,
  checkedAt: null,
  problem: toProblemText('updatesElsewhere'),
};

/** Updates of the app. The host performs them and reports their progress. */
export function updatesFeature({ host: { updates }, changes }: CoreContext) {
  let state = unknown;
  updates?.follow((next) => {
    state = next;
    changes.emit('updates');
  });
  const done = async (deed: Promise<void> | undefined): Promise<UpdateState> => {
    await deed;
    return state;
  };
  return {
    get: (): UpdateState => state,
    check: () => done(updates?.check()),
    install: () => done(updates?.install()),
    postpone: () => done(updates?.postpone()),
  };
}
