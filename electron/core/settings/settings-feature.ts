import { type Settings, settings as schema } from '#shared/contract/app/settings.ts';
import type { Host } from '../host/host.ts';
import type { Changes } from '../streams/change-topics.ts';
import type { SettingsStore } from './settings-store.ts';

const name = 'user';
const initial: Settings = {
  theme: 'system',
  language: 'en',
  density: 'comfortable',
  sendWith: 'enter',
  spellCheck: true,
  keepRunning: false,
  checkUpdates: true,
  notifications: 'plain',
  model: 'router',
  shownWallet: null,
  welcomed: false,
  confirmRoute: false,
  shortcuts: {},
  favouriteModels: [],
  recentModels: [],
  recentActions: [],
};

export interface SettingsDeps {
  readonly store: SettingsStore;
  readonly host: Pick<Host, 'showSettings'>;
  readonly changes: Changes;
}

/** The user’s settings. A stored value that is no longer valid falls back to the default. */
export function settingsFeature({ store, host, changes }: SettingsDeps) {
  async function get(): Promise<Settings> {
    const stored = schema.partial().safeParse((await store.read(name)) ?? {});
    return { ...initial, ...(stored.success ? defined(stored.data) : {}) };
  }
  return {
    get,
    async update(change: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<Settings> {
      const next: Settings = { ...(await get()), ...defined(change) };
      await store.write(name, next);
      host.showSettings(next);
      changes.emit('settings');
      return next;
    },
  };
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
