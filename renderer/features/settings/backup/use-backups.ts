import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BackupState } from '#shared/contract/app/backup.ts';
import { useApi, useOrpc } from '../../../api/api.ts';

export function useBackups() {
  return useQuery(useOrpc().backup.list.queryOptions());
}

export function useBackupCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = useOrpc().backup.list.queryKey();
  const onSuccess = (state: BackupState) => queries.setQueryData(queryKey, state);
  return {
    make: useMutation({ mutationFn: () => api.backup.make(), onSuccess }),
    restore: useMutation({ mutationFn: (name: string) => api.backup.restore({ name }), onSuccess }),
    remove: useMutation({ mutationFn: (name: string) => api.backup.remove({ name }), onSuccess }),
    putBack: useMutation({ mutationFn: (name: string) => api.backup.putBack({ name }), onSuccess }),
  };
}
