import type { SearchHit } from '#shared/contract/chat/search.ts';
import { useThreadView } from '../../navigation/thread-view.ts';

/** Opens a hit even if it is in the collapsed output of a tool. */
export function seekInTools(message: SearchHit['message']): void {
  if (!message?.inTool) return;
  const words = message.snippet.flatMap(({ text, hit }) => (hit ? [text] : []));
  useThreadView.getState().seek({ messageId: message.id, words });
}
