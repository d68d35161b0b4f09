import { type Caps, caps as schema } from '#shared/contract/chat/caps.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';

const name = 'caps';
const none: Caps = { message: null, conversation: null, day: null, month: null, models: {} };

/** The spending caps that a person has set. */
export async function readCaps(store: SettingsStore): Promise<Caps> {
  const kept = schema.safeParse(await store.read(name));
  return kept.success ? kept.data : none;
}

export const writeCaps = (store: SettingsStore, caps: Caps): Promise<void> => store.write(name, caps);
