import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LedgerBackups, LedgerFormat } from '#shared/contract/app/ledger.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { useApi, useOrpc } from '../../../api/api.ts';
import { saveFile } from '../../../browser/save-file.ts';

const types = { csv: 'text/csv;charset=utf-8', json: 'application/json' } as const;

/** The copies of the ledger, and the calls that create and export them. */
export function useLedgerFiles() {
  const api = useApi();
  const queries = useQueryClient();
  const orpc = useOrpc();
  const copies = useQuery(orpc.ledger.backups.queryOptions());
  const onSuccess = (state: LedgerBackups) => queries.setQueryData(orpc.ledger.backups.queryKey(), state);
  const backUp = useMutation({ mutationFn: () => api.ledger.backUp(), onSuccess });
  const remove = useMutation({ mutationFn: (name: string) => api.ledger.remove({ name }), onSuccess });
  const putBack = useMutation({ mutationFn: (name: string) => api.ledger.putBack({ name }), onSuccess });
  const restore = useMutation({ mutationFn: (name: string) => api.ledger.restore({ name }), onSuccess });
  const save = useMutation({
    async mutationFn({ billingAccount, format }: { billingAccount: BillingAccount; format: LedgerFormat }) {
      const parts: string[] = [];
      for await (const { text } of await api.ledger.export({ billingAccount, format })) parts.push(text);
      const day = new Date().toISOString().slice(0, 10);
      saveFile(new Blob(parts, { type: types[format] }), `portico-ledger-${billingAccount}-${day}.${format}`);
    },
  });
  return { copies, backUp, remove, putBack, restore, save };
}

/** What restoring a copy would change. Read again for each question, because the ledger keeps growing. */
export function useLedgerComparison(name: string) {
  return useQuery(useOrpc().ledger.compare.queryOptions({ input: { name }, gcTime: 0 }));
}
