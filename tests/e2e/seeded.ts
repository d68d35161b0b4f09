import { join } from 'node:path';
import { seed } from '../seed/seed.ts';

/** Makes a data folder with invented chats, as `npm run seed` does. */
export async function seeded(folder: string, conversations: number, messages: number): Promise<string> {
  const dataFolder = join(folder, 'data');
  const nowMs = Date.now();
  await seed({ dataFolder, conversations, messages, long: 0, requests: null, seed: 5, nowMs, force: false });
  return dataFolder;
}
