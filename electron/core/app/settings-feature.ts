import { z } from 'zod';
import { type Settings, settings as schema } from '#shared/contract/app/settings.ts';
import type { CoreContext } from '../storage/core-context.ts';

const name = 'user';
/** Maps a remote gateway to the default model for new chats that was chosen while it was in use. */
const remoteModelsName = 'user.models-elsewhere';
const remoteModels = z.record(z.string(), z.string());
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

export interface SettingsDeps extends CoreContext {
  /** The remote gateway in use, or null for the built-in one. Each gateway has its own default model for new chats. */
  readonly remoteGateway: () => string | null;
  /** Returns the model that a new chat uses if this one is wanted. */
  readonly modelHere: (wanted: string) => string;
}

/** The user's settings. A stored value that is no longer valid falls back to the default. */
export function settingsFeature({ settings, host, changes, remoteGateway, modelHere }: SettingsDeps) {
  async function read(): Promise<Settings> {
    const stored = schema.partial().safeParse((await settings.read(name)) ?? {});
    return { ...initial, ...(stored.success ? defined(stored.data) : {}) };
  }

  async function readModels(): Promise<z.infer<typeof remoteModels>> {
    const stored = remoteModels.safeParse(await settings.read(remoteModelsName));
    return stored.success ? stored.data : {};
  }

  async function here(stored: Settings): Promise<Settings> {
    const source = remoteGateway();
    if (source === null) return stored;
    return { ...stored, model: modelHere((await readModels())[source] ?? stored.model) };
  }

  return {
    get: async (): Promise<Settings> => here(await read()),
    async update(change: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<Settings> {
      const source = remoteGateway();
      const { model, ...others } = defined(change);
      if (source !== null && model !== undefined) {
        await settings.write(remoteModelsName, { ...(await readModels()), [source]: model });
      }
      const own = source === null && model !== undefined ? { model } : {};
      const stored: Settings = { ...(await read()), ...others, ...own };
      await settings.write(name, stored);
      const next = await here(stored);
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
