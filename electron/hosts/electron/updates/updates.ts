import type { AppUpdater, UpdateInfo } from 'electron-updater';
import type { HostProxy } from '#core/runtime/host/host.ts';
import { failureEntry, type Log } from '#core/runtime/log/log.ts';
import type { UpdateState } from '#shared/contract/app/updates.ts';
import type { ProblemText } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import { isSafe } from './update-feed.ts';

/** electron-updater and Chromium report errors by codes, which may be only in the message. */
const unverified = /CHECKSUM_MISMATCH|INVALID_SIGNATURE|NO_CHECKSUM|code signature/i;
const unusable = /ERR_UPDATER_|INVALID_VERSION|YAML/i;

/** Explains what went wrong and what to do. The library's own message goes to the log. */
export function updateFailure(error: unknown, refused: boolean, installing: boolean): ProblemText {
  const { code = '', message = '', name = '' } = error as { code?: unknown; message?: string; name?: string };
  const details = `${code} ${name} ${message}`;
  if (refused) return toProblemText('updateInsecure');
  if (unverified.test(details)) return toProblemText('updateNotVerified');
  const why = /net::(\w+)|^\D*(\d{3}) /.exec(details);
  if (installing) return toProblemText('updateNotInstalled', { why: why?.[1] ?? (String(code) || firstLine(message)) });
  if (why) return toProblemText('updateUnreachable', { why: why[1] ?? why[2] ?? '' });
  if (unusable.test(details)) return toProblemText('updateFeedUnusable');
  return toProblemText('updateUnreachable', { why: String(code) || firstLine(message) });
}

const firstLine = (message: string): string => message.split('\n', 1)[0]?.slice(0, 200) ?? '';

const firstCheckMs = 20_000;
const everyMs = 4 * 3_600_000;
const maxNotes = 20_000;

export interface UpdatesOptions {
  /** Why this app can't be updated. Null if it can. */
  readonly unavailable: ProblemText | null;
  /** Loads electron-updater, configured for the feed of this build. */
  readonly load: () => Promise<AppUpdater>;
  readonly now: () => number;
  /**
   * Ends the app after the running answers, and calls `install` instead of quitting. Returns false if it has to wait
   * for answers.
   */
  readonly endInto: (install: () => void) => boolean;
  readonly keepRunning: () => void;
  /** Starts the app again in the old version. */
  readonly startAgain: () => void;
  readonly log: Log;
}

export type Updates = ReturnType<typeof openUpdates>;

/**
 * Finds, downloads and installs newer versions. electron-updater verifies them, and they are installed when no answer
 * is running.
 */
export function openUpdates({ unavailable, load, now, endInto, keepRunning, startAgain, log }: UpdatesOptions) {
  let state: UpdateState = {
    status: unavailable ? 'unavailable' : 'idle',
    version: null,
    percent: null,
    notes: null,
    checkedAt: null,
    problem: unavailable,
  };
  let updater: Promise<AppUpdater> | null = null;
  let proxy: HostProxy | null = null;
  let timer: NodeJS.Timeout | undefined;
  let installing = false;
  let refused = false;
  let change = Promise.withResolvers<void>();

  function set(part: Partial<UpdateState>): void {
    state = { ...state, ...part };
    change.resolve();
    change = Promise.withResolvers();
  }

  function failed(error: unknown): void {
    log({ event: 'update_failed', ...failureEntry(error) });
    set({ status: 'failed', percent: null, problem: updateFailure(error, refused, installing) });
    if (installing) startAgain();
  }

  async function open(): Promise<AppUpdater> {
    const opened = await load();
    opened.autoDownload = true;
    opened.autoInstallOnAppQuit = true;
    opened.allowDowngrade = false;
    opened.allowPrerelease = false;
    opened.disableWebInstaller = true;
    opened.logger = null;
    // Otherwise every check would send a number that identifies this computer.
    opened.requestHeaders = { 'x-user-staging-id': '' };
    opened.netSession.webRequest.onBeforeRequest(({ url }, answer) => {
      const cancel = !isSafe(url);
      refused ||= cancel;
      answer({ cancel });
    });
    opened.on('login', ({ isProxy }, answer) => {
      if (isProxy && proxy?.username && proxy.password !== null) answer(proxy.username, proxy.password);
      // Calling it without arguments cancels the login, which its type doesn't allow for.
      else (answer as () => void)();
    });
    opened.on('update-not-available', () => set({ status: 'idle', version: null, notes: null, checkedAt: now() }));
    opened.on('update-available', (info) =>
      set({ status: 'downloading', percent: 0, checkedAt: now(), version: info.version, notes: getNotes(info) }),
    );
    opened.on('download-progress', ({ percent }) => {
      const wholePercent = Math.min(100, Math.floor(percent));
      if (wholePercent !== state.percent) set({ percent: wholePercent });
    });
    opened.on('update-downloaded', () => set({ status: 'ready', percent: null, problem: null }));
    opened.on('error', failed);
    return opened;
  }

  const opened = (): Promise<AppUpdater> => (updater ??= open());

  async function check(): Promise<void> {
    if (unavailable || !['idle', 'failed'].includes(state.status)) return;
    refused = false;
    set({ status: 'checking', problem: null });
    try {
      const loaded = await opened();
      if (proxy) await loaded.netSession.setProxy(getRules(proxy));
      const found = await loaded.checkForUpdates();
      // The `error` event reports a failed download too.
      found?.downloadPromise?.catch(() => {});
    } catch (error) {
      // Errors that electron-updater has reported by an event aren't reported twice.
      if (state.status === 'checking') failed(error);
    }
  }

  async function install(): Promise<void> {
    if (state.status !== 'ready') return;
    const loaded = await opened();
    const ended = endInto(() => {
      installing = true;
      loaded.quitAndInstall(true, true);
    });
    if (!ended) set({ status: 'waiting' });
  }

  return {
    check,
    install,
    postpone(): void {
      if (state.status !== 'waiting') return;
      keepRunning();
      set({ status: 'ready' });
    },
    /** Starts automatic checks, the first one after a while and then every few hours, or stops them. */
    setAutomaticChecks(wanted: boolean): void {
      if (unavailable || wanted === (timer !== undefined)) return;
      clearTimeout(timer);
      const later = (ms: number): NodeJS.Timeout =>
        setTimeout(() => {
          timer = later(everyMs);
          void check();
        }, ms);
      timer = wanted ? later(firstCheckMs) : undefined;
    },
    useProxy(set: HostProxy): void {
      proxy = set;
    },
    /** Yields the current state, and every later one. */
    async *states(signal: AbortSignal): AsyncGenerator<UpdateState, void> {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      while (!signal.aborted) {
        const { promise } = change;
        yield state;
        await Promise.race([promise, aborted]);
      }
    },
  };
}

const getRules = ({ proxy, address, bypass }: HostProxy): Electron.ProxyConfig =>
  ({
    system: { mode: 'system' as const },
    none: { mode: 'direct' as const },
    fixed: {
      mode: 'fixed_servers' as const,
      proxyRules: address,
      proxyBypassRules: bypass
        .split(/[\s,]+/)
        .filter(Boolean)
        .join(','),
    },
  })[proxy];

function getNotes({ releaseNotes }: UpdateInfo): string | null {
  const notes =
    typeof releaseNotes === 'string' ? releaseNotes : releaseNotes?.map(({ note }) => note ?? '').join('\n\n');
  return notes?.trim().slice(0, maxNotes) || null;
}
