import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';
import type { StoredRows } from './postgres-rows.ts';

/** Of each kind; beyond it the one unused for longest is read anew. */
const sizeLimit = 20_000;

/** The rows that this instance saw last. Others write to the books too: what is decided on them is checked when it is written. */
export interface LedgerCache extends LedgerSnapshot {
  add(rows: StoredRows): void;
  /** Of a request only what still runs is needed again. */
  see(request: RequestState): void;
  forget(requestIds: Iterable<string>): void;
}

export function createLedgerCache(): LedgerCache {
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const requests = new Map<string, RequestState>();

  return {
    account: (id) => accounts.get(id),
    key: (id) => keys.get(id),
    request: (id) => requests.get(id),
    add(rows) {
      for (const row of rows.accounts) remember(accounts, row);
      for (const row of rows.keys) remember(keys, row);
      for (const row of rows.requests) remember(requests, row);
    },
    see(request) {
      if (request.status === 'running') remember(requests, request);
      else requests.delete(request.id);
    },
    forget(requestIds) {
      for (const id of requestIds) requests.delete(id);
    },
  };
}

/** Maps keep the order of insertion: the first one was written longest ago. */
function remember<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row): void {
  rows.delete(row.id);
  rows.set(row.id, row);
  const [oldest] = rows.size > sizeLimit ? rows.keys() : [];
  if (oldest !== undefined) rows.delete(oldest);
}
