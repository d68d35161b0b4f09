import { useMutation } from '@tanstack/react-query';
import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import { useApi } from '../../../api/api.ts';

interface Decided {
  readonly messageId: string;
  /** Index of the call in the message. */
  readonly call: number;
  readonly decision: ToolDecision;
}

export function useDecideTool() {
  const api = useApi();
  return useMutation({ mutationFn: (decided: Decided) => api.chat.decideTool(decided) });
}
