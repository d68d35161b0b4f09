import type { Api } from '../api/api.ts';
import { getHash } from '../navigation/nav.ts';

/** How long a start waits for the last opened chat. After that it begins with a new chat. */
const patienceMs = 1500;

/** Returns the location at which the last window was closed. */
export async function whereItWas(api: Api): Promise<string> {
  const nowhere = { id: null };
  const late = new Promise<typeof nowhere>((resolve) => setTimeout(() => resolve(nowhere), patienceMs));
  // The shell reports a core that does not answer.
  const { id } = await Promise.race([api.conversations.lastOpened().catch(() => nowhere), late]);
  return getHash({ page: 'chat', conversationId: id });
}
