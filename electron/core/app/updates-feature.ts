import type { UpdateState } from '#shared/contract/app/updates.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import type { Host } from '../runtime/host/host.ts';
import type { Changes } from '../runtime/streams/change-topics.ts';

export interface UpdatesDeps {
  readonly host: Pick<Host, 'updates'>;
  readonly changes: Changes;
}

const unknown: UpdateState = {
  status: 'unavailable',
  version: null,
  percent: null,
  notes: null,
  checkedAt: null,
  problem: toProblemText('updatesElsewhere'),
};

/** Updates of the app. The host performs them and reports their progress. */
export function updatesFeature({ host: { updates }, changes }: UpdatesDeps) {
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
