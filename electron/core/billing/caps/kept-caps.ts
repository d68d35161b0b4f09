import { type Caps, caps as schema } from '#shared/contract/chat/caps.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';

const name = 'caps';
const none: Caps = { message: null, conversation: null, day: null, month: null, models: {} };

/** Reads the spending caps that the person has set. */
export async function readCaps(store: SettingsStore): Promise<Caps> {
  const stored = schema.safeParse(await store.read(name));
  return stored.success ? stored.data : none;
}

export const writeCaps = (store: SettingsStore, caps: Caps): Promise<void> => store.write(name, caps);
