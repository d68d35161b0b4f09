import type { SearchHit } from '#shared/contract/chat/search.ts';
import { useThreadView } from '../../navigation/thread-view.ts';

/** Opens the place of a hit also where that is in a collapsed part: what a tool gave. */
export function seekInTools(message: SearchHit['message']): void {
  if (!message?.inTool) return;
  const words = message.snippet.flatMap(({ text, hit }) => (hit ? [text] : []));
  useThreadView.getState().seek({ messageId: message.id, words });
}
