import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { OfferedTool } from '../../request/request.ts';

interface Waiting {
  readonly conversationId: string;
  readonly tool: OfferedTool;
  readonly decide: (decision: ToolDecision) => void;
}

const sameTool = (a: OfferedTool, b: OfferedTool): boolean =>
  a.serverId === b.serverId && a.tool === b.tool && a.fingerprint === b.fingerprint;

/** Tool calls that wait for the user's decision. The core holds them, so windows may come and go. */
export function openToolDecisions() {
  const waiting = new Map<string, Waiting>();
  const getKey = (messageId: string, call: number) => `${messageId} ${call}`;

  return {
    /**
     * Waits for the user's decision. Throws the signal's reason if the answer ends first. It never decides
     * automatically.
     */
    ask(
      { messageId, call, conversationId, tool }: Omit<Waiting, 'decide'> & { messageId: string; call: number },
      signal: AbortSignal,
    ): Promise<ToolDecision> {
      signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const key = getKey(messageId, call);
        const leave = () => {
          waiting.delete(key);
          signal.removeEventListener('abort', stop);
        };
        const stop = () => {
          leave();
          reject(signal.reason);
        };
        signal.addEventListener('abort', stop);
        const decide = (decision: ToolDecision) => {
          leave();
          resolve(decision);
        };
        waiting.set(key, { conversationId, tool, decide });
      });
    },

    /** A permission beyond one call also releases the other waiting calls that it covers. */
    decide(messageId: string, call: number, decision: ToolDecision): void {
      const asked = waiting.get(getKey(messageId, call));
      if (!asked) throw refusal('not_found', 'callNotWaiting');
      asked.decide(decision);
      if (decision === 'once' || decision === 'deny') return;
      for (const other of [...waiting.values()]) {
        const covered = decision === 'always' || other.conversationId === asked.conversationId;
        if (covered && sameTool(other.tool, asked.tool)) other.decide('once');
      }
    },
  };
}

export type ToolDecisions = ReturnType<typeof openToolDecisions>;
