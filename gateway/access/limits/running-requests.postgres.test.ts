import { expect, onTestFinished, test, vi } from 'vitest';
import { testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createPostgresStore } from './postgres-store.ts';

async function open() {
  const { db } = await openDatabase(await testDatabase());
  const problems: unknown[] = [];
  let time = 1_800_000_000_000;
  const clock = () => time;
  const store = (instanceId: string) => {
    const opened = createPostgresStore({ db, instanceId, clock, log: (entry) => void problems.push(entry) });
    onTestFinished(() => opened.close());
    return opened;
  };
  onTestFinished(() => db.destroy());
  return {
    db,
    store,
    problems,
    pass(ms: number) {
      time += ms;
    },
  };
}

test('running requests of a killed instance stop counting when its lease ends, and are deleted', async () => {
  const { db, store, pass } = await open();
  const [dead, alive] = [store('inst_dead'), store('inst_alive')];
  await dead.close();
  expect(await dead.enter('key', 1)).not.toBeNull();
  expect(await alive.enter('key', 1)).toBeNull();
  pass(30_001);
  expect(await alive.enter('key', 1)).not.toBeNull();
  await alive.sweep();
  expect(await db.selectFrom('limit_places').select('instance_id').execute()).toEqual([{ instance_id: 'inst_alive' }]);
});

test('a running request keeps counting, also after the database lost its row', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { db, store, pass } = await open();
  const instance = store('inst_1');
  expect(await instance.enter('long', 1)).not.toBeNull();
  await db.deleteFrom('limit_places').execute();
  pass(10_000);
  vi.advanceTimersByTime(10_000);
  await instance.take('busy', 5, 1);
  const row = { key: 'long', lease_until: 1_800_000_040_000n };
  await expect.poll(() => db.selectFrom('limit_places').select(['key', 'lease_until']).execute()).toEqual([row]);
});

test('expired rows are deleted, and no others', async () => {
  const { db, store, pass } = await open();
  const instance = store('inst_1');
  await instance.take('old', 5, 1);
  pass(59_000);
  await instance.take('young', 5, 1);
  pass(2000);
  await instance.sweep();
  expect(await db.selectFrom('limit_uses').select('key').execute()).toEqual([{ key: 'young' }]);
});

test('an unreachable database is logged, and does not delay a finished answer', async () => {
  const { db, store, problems } = await open();
  const instance = store('inst_1');
  const taken = await instance.take('key', 5, 3);
  const release = await instance.enter('key', 1);
  await db.destroy();
  if (!taken.admitted) throw new Error('refused');
  await taken.settle(1);
  await release?.();
  expect(problems).toMatchObject([{ event: 'limit_not_corrected' }, { event: 'limit_place_kept' }]);
  await expect(instance.take('other', 5, 1)).rejects.toThrow();
});
