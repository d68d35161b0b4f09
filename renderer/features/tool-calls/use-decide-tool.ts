import { useMutation } from '@tanstack/react-query';
import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import { useApi } from '../../api/api.ts';

interface Decided {
  readonly messageId: string;
  /** Which of the message's calls, from 0. */
  readonly call: number;
  readonly decision: ToolDecision;
}

export function useDecideTool() {
  const api = useApi();
  return useMutation({ mutationFn: (decided: Decided) => api.chat.decideTool(decided) });
}
