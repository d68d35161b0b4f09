import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { BackupState } from '#shared/contract/backup.ts';
import { useApi } from '../../lib/api.ts';

export function useBackups() {
  const api = useApi();
  return useQuery({ queryKey: ['backups'], queryFn: ({ signal }) => api.backup.list(undefined, { signal }) });
}

export function useBackupCalls() {
  const api = useApi();
  const queries = useQueryClient();
  const onSuccess = (state: BackupState) => queries.setQueryData(['backups'], state);
  return {
    make: useMutation({ mutationFn: () => api.backup.make(), onSuccess }),
    restore: useMutation({ mutationFn: (name: string) => api.backup.restore({ name }), onSuccess }),
    remove: useMutation({ mutationFn: (name: string) => api.backup.remove({ name }), onSuccess }),
  };
}
