import { implement } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import { contract } from '#shared/contract/index.ts';
import type { FakeData } from './fake-data.ts';

/** Backups of the fake core. They are only names, without files. */
export function fakeBackup(
  data: FakeData,
  guard: (method: string) => Promise<void>,
  changed: (...topics: Topic[]) => void,
) {
  const os = implement(contract).backup;
  const removed: FakeData['backups'] = [];
  const state = () => {
    changed('backups');
    return {
      folder: '~/portico/backups',
      backups: data.backups,
      problem: null,
      missingFiles: 0,
      keptDaily: 7,
      keptWeekly: 4,
    };
  };
  const add = (kind: 'manual' | 'before-restore') => {
    const createdAt = Date.now();
    const name = `${kind}-${new Date(createdAt).toISOString().replace(/[:.]/g, '-')}.db`;
    data.backups = [{ name, kind, createdAt, bytes: 4_200_000 }, ...data.backups];
  };
  return {
    list: os.list.handler(async () => {
      await guard('backup.list');
      return {
        folder: '~/portico/backups',
        backups: data.backups,
        problem: null,
        missingFiles: 0,
        keptDaily: 7,
        keptWeekly: 4,
      };
    }),
    make: os.make.handler(async () => {
      await guard('backup.make');
      add('manual');
      return state();
    }),
    restore: os.restore.handler(async () => {
      await guard('backup.restore');
      add('before-restore');
      return state();
    }),
    remove: os.remove.handler(async ({ input }) => {
      await guard('backup.remove');
      removed.push(...data.backups.filter((backup) => backup.name === input.name));
      data.backups = data.backups.filter((backup) => backup.name !== input.name);
      return state();
    }),
    putBack: os.putBack.handler(async ({ input }) => {
      await guard('backup.putBack');
      data.backups = [...removed.filter((backup) => backup.name === input.name), ...data.backups];
      return state();
    }),
  };
}
