import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { NamedOptions } from '#shared/contract/chat/options.ts';
import type { Preset, presetsFile } from '#shared/contract/chat/presets.ts';
import { useApi, useOrpc } from '../../../api/api.ts';

/** A chat’s options, updated optimistically. */
export function useOptions(chat: string) {
  const api = useApi();
  const queries = useQueryClient();
  const options = useOrpc().options.get.queryOptions({ input: { chat } });
  const { queryKey } = options;
  const query = useQuery(options);
  const set = useMutation({
    mutationFn: (options: NamedOptions) => api.options.set({ chat, options }),
    onMutate: async (options) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, options);
      return { before };
    },
    onError: (_error, _options, context) => queries.setQueryData(queryKey, context?.before),
  });
  return { query, set };
}

export function usePresets() {
  return useQuery(useOrpc().presets.list.queryOptions());
}

export function usePresetCalls() {
  const api = useApi();
  return {
    save: useMutation({ mutationFn: (preset: Preset) => api.presets.save(preset) }),
    remove: useMutation({ mutationFn: (id: string) => api.presets.remove({ id }) }),
    exportAll: useMutation({ mutationFn: () => api.presets.export() }),
    importFile: useMutation({ mutationFn: (file: z.infer<typeof presetsFile>) => api.presets.import({ file }) }),
  };
}
