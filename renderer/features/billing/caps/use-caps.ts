import { useMutation, useQuery } from '@tanstack/react-query';
import type { Caps } from '#shared/contract/chat/caps.ts';
import { useApi, useOrpc } from '../../../api/api.ts';

export function useCaps() {
  return useQuery(useOrpc().caps.get.queryOptions());
}

export function useTakeOver() {
  const api = useApi();
  return useMutation({ mutationFn: () => api.caps.takeOver() });
}

export function useSetCaps() {
  const api = useApi();
  return useMutation({ mutationFn: (caps: Caps) => api.caps.set(caps) });
}
