import { useMutation, useQuery } from '@tanstack/react-query';
import type { Caps } from '#shared/contract/caps.ts';
import { useApi } from '../../lib/api.ts';

export function useCaps() {
  const api = useApi();
  return useQuery({ queryKey: ['caps'], queryFn: ({ signal }) => api.caps.get(undefined, { signal }) });
}

export function useSetCaps() {
  const api = useApi();
  return useMutation({ mutationFn: (caps: Caps) => api.caps.set(caps) });
}
