import type { Api } from '../api/api.ts';
import { hashOf } from '../navigation/nav.ts';

/** A start waits so long for the core to say what was open last, and then begins with a new chat. */
const patienceMs = 1500;

/** The place at which the last window was left. */
export async function whereItWas(api: Api): Promise<string> {
  const nowhere = { id: null };
  const late = new Promise<typeof nowhere>((resolve) => setTimeout(() => resolve(nowhere), patienceMs));
  // A core that does not answer is said by the window itself.
  const { id } = await Promise.race([api.conversations.lastOpened().catch(() => nowhere), late]);
  return hashOf({ page: 'chat', conversationId: id });
}
