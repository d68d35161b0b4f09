import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import { isSafe, withoutUpdates } from './update-feed.ts';
import { openUpdates, type UpdatesOptions } from './updates.ts';

/** Imitates electron-updater without a network. Records its settings and calls. */
function fakeUpdater() {
  let before: (details: { url: string }, answer: (given: { cancel: boolean }) => void) => void = () => {};
  const updater = Object.assign(new EventEmitter(), {
    allowDowngrade: true,
    allowPrerelease: true,
    checkForUpdates: vi.fn(async () => ({})),
    quitAndInstall: vi.fn(),
    netSession: {
      setProxy: vi.fn(async () => {}),
      webRequest: { onBeforeRequest: (listen: typeof before) => (before = listen) },
    },
  });
  return {
    updater,
    asks(url: string): boolean {
      let refused = false;
      before({ url }, ({ cancel }) => {
        refused = cancel;
      });
      return refused;
    },
  };
}

function opened(more: Partial<UpdatesOptions> = {}) {
  const fake = fakeUpdater();
  const startAgain = vi.fn();
  const updates = openUpdates({
    unavailable: null,
    load: async () => fake.updater as unknown as AppUpdater,
    now: () => 1000,
    endInto: () => true,
    keepRunning: () => {},
    startAgain,
    log: () => {},
    ...more,
  });
  const state = async (): Promise<UpdateState> => {
    const states = updates.states(new AbortController().signal);
    const { value } = await states.next();
    await states.return();
    return value as UpdateState;
  };
  return { ...fake, updates, state, startAgain };
}

const found = {
  version: '0.2.0',
  releaseNotes: [
    { version: '0.2.0', note: 'New' },
    { version: '0.1.1', note: 'Newer' },
  ],
};

describe('updates', () => {
  afterEach(() => void vi.useRealTimers());

  test('are checked for automatically until that is switched off', async () => {
    vi.useFakeTimers();
    const { updates, updater } = opened();
    updates.setAutomaticChecks(true);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(updater.checkForUpdates).toHaveBeenCalledTimes(1);
    updater.emit('update-not-available');
    await vi.advanceTimersByTimeAsync(4 * 3_600_000);
    expect(updater.checkForUpdates).toHaveBeenCalledTimes(2);
    updater.emit('update-not-available');
    updates.setAutomaticChecks(false);
    await vi.advanceTimersByTimeAsync(48 * 3_600_000);
    expect(updater.checkForUpdates).toHaveBeenCalledTimes(2);
  });

  test('are never older versions and come only over https, even after a redirect', async () => {
    const { updates, updater, asks, state } = opened();
    await updates.check();
    expect(updater).toMatchObject({ allowDowngrade: false, allowPrerelease: false });
    expect(asks('https://updates.example/latest.yml')).toBe(false);
    expect(asks('http://updates.example/new.AppImage')).toBe(true);
    updater.emit('error', new Error('net::ERR_BLOCKED_BY_CLIENT'));
    expect(await state()).toMatchObject({ status: 'failed', problem: toProblemText('updateInsecure') });
  });

  test('report their progress and wait for running answers', async () => {
    let install = () => {};
    const keepRunning = vi.fn();
    const { updates, updater, state } = opened({
      keepRunning,
      endInto(then) {
        install = then;
        return false;
      },
    });
    await updates.check();
    updater.emit('update-available', found);
    updater.emit('download-progress', { percent: 41.7 });
    expect(await state()).toMatchObject({
      status: 'downloading',
      version: '0.2.0',
      percent: 41,
      notes: 'New\n\nNewer',
    });
    updater.emit('update-downloaded', found);
    await updates.install();
    expect(await state()).toMatchObject({ status: 'waiting', percent: null });
    expect(updater.quitAndInstall).not.toHaveBeenCalled();
    updates.postpone();
    expect(await state()).toMatchObject({ status: 'ready' });
    expect(keepRunning).toHaveBeenCalledOnce();
    await updates.install();
    install();
    expect(updater.quitAndInstall).toHaveBeenCalledOnce();
  });

  test('that cannot be verified or installed leave the old version, which starts again', async () => {
    const { updates, updater, state, startAgain } = opened({
      endInto(then) {
        then();
        return true;
      },
    });
    await updates.check();
    updater.emit('error', Object.assign(new Error('sha512 checksum mismatch'), { code: 'ERR_CHECKSUM_MISMATCH' }));
    expect(await state()).toMatchObject({ status: 'failed', problem: toProblemText('updateNotVerified') });
    expect(startAgain).not.toHaveBeenCalled();
    await updates.check();
    updater.emit('update-available', found);
    updater.emit('update-downloaded', found);
    await updates.install();
    updater.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    expect(await state()).toMatchObject({ problem: toProblemText('updateNotInstalled', { why: 'ENOSPC' }) });
    expect(startAgain).toHaveBeenCalledOnce();
  });

  test('use the configured proxy, and only the proxy gets its password', async () => {
    const { updates, updater } = opened();
    updates.useProxy({
      proxy: 'fixed',
      address: 'http://proxy.example:3128',
      username: 'ada',
      password: 'word',
      bypass: 'intranet.example, *.local',
    });
    await updates.check();
    expect(updater.netSession.setProxy).toHaveBeenCalledWith({
      mode: 'fixed_servers',
      proxyRules: 'http://proxy.example:3128',
      proxyBypassRules: 'intranet.example,*.local',
    });
    const login = vi.fn();
    updater.emit('login', { isProxy: true }, login);
    updater.emit('login', { isProxy: false }, login);
    expect(login.mock.calls).toEqual([['ada', 'word'], []]);
  });
});

test('a build is updated only if its feed is safe and verifiable and it was installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-feed-'));
  const file = join(folder, 'update.json');
  const why = (feed: object | null, installedBy: string | null) => {
    rmSync(file, { force: true });
    if (feed) writeFileSync(file, JSON.stringify(feed));
    return withoutUpdates({ file, installedBy });
  };
  const url = 'https://updates.example/';
  const publicKey = 'MCow';
  expect(why({ url, publicKey }, 'AppImage')).toBeNull();
  expect(why({ url, publicKey }, null)).toEqual(toProblemText('updatesNotInstalled'));
  expect(why(null, 'deb')).toEqual(toProblemText('updatesNoFeed'));
  expect(why({ url: 'http://updates.example/', publicKey }, 'installer')).toEqual(toProblemText('updateInsecure'));
  expect(why({ url }, 'installer')).toEqual(toProblemText('updatesUnsigned'));
  rmSync(folder, { recursive: true });
});

test('an address is safe with https or on this computer', () => {
  expect(['https://a.example/', 'http://127.0.0.1:9/', 'http://[::1]:9/', 'http://localhost/'].map(isSafe)).toEqual([
    ...[true, true, true, true],
  ]);
  expect(
    ['http://a.example/', 'http://127.0.0.1.a.example/', 'file:///x', 'ftp://a.example/', 'no address'].map(isSafe),
  ).toEqual([false, false, false, false, false]);
});
