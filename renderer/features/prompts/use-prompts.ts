import { useMutation, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Prompt, promptsFile } from '#shared/contract/chat/prompts.ts';
import { useApi, useOrpc } from '../../api/api.ts';

export function usePrompts() {
  return useQuery(useOrpc().prompts.list.queryOptions());
}

export function usePromptCalls() {
  const api = useApi();
  return {
    save: useMutation({ mutationFn: (prompt: Prompt) => api.prompts.save(prompt) }),
    remove: useMutation({ mutationFn: (id: string) => api.prompts.remove({ id }) }),
    exportAll: useMutation({ mutationFn: () => api.prompts.export() }),
    importFile: useMutation({ mutationFn: (file: z.infer<typeof promptsFile>) => api.prompts.import({ file }) }),
  };
}
