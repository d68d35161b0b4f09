import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerBackups, LedgerFormat } from '#shared/contract/app/ledger.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { Connections } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import type { Background } from '../worker/background.ts';
import type { ExportedLine, LinesPage } from '../worker/ledger-lines.ts';
import { csvHead, csvLine } from './ledger-csv.ts';

export interface LedgerDeps {
  readonly dataFolder: string;
  readonly connections: Connections;
  readonly background: Pick<Background, 'run'>;
  readonly now: () => number;
}

const named = /^ledger-(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db$/;
const limitMs = 30_000;
/** What a removed copy is called until it is too late to put it back. */
const removedName = (name: string): string => `${name}.removed`;
/** How long it can be put back. */
const undoMs = 3_600_000;

/** Copies and exports of the ledger, which is in no backup of the chats: money that was spent stays spent. */
export function ledgerFeature({ dataFolder, connections, background, now }: LedgerDeps) {
  const folder = join(dataFolder, 'backups', 'ledger');
  const file = join(dataFolder, 'gateway.db');
  /** By the names of the copies. */
  const removedAt = new Map<string, number>();

  function backups(): LedgerBackups {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = readdirSync(folder).flatMap((name) => {
      const [, year, month, day, hour, minute, second, ms] = named.exec(name) ?? [];
      if (year === undefined) return [];
      const createdAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
      return [{ name, createdAt, bytes: statSync(join(folder, name)).size }];
    });
    return { folder, backups: found.sort((a, b) => b.createdAt - a.createdAt) };
  }

  /** What was removed by an earlier run, or long ago, cannot be put back any more. */
  function forgetRemoved(): void {
    for (const name of readdirSync(folder)) {
      const copy = name.replace(/\.removed$/, '');
      const late = now() - (removedAt.get(copy) ?? 0) >= undoMs;
      if (copy !== name && named.test(copy) && late) rmSync(join(folder, name));
    }
  }

  /** Renames a copy to what it is when it is removed, or back. */
  function rename(from: string, to: string): void {
    if (!existsSync(join(folder, from))) throw refusal('not_found', 'backupGone');
    renameSync(join(folder, from), join(folder, to));
  }

  /** Pages of a wallet's lines, oldest first. */
  async function* linesOf(wallet: Wallet, signal: AbortSignal | undefined): AsyncGenerator<readonly ExportedLine[]> {
    const { client, source } = await connections.wallet(wallet);
    const within = () => AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(limitMs)]);
    if (source.startsWith('embedded/')) {
      // Asking also brings into the file all that was answered until now.
      const { id } = await askGateway(() => client.account({ signal: within() }));
      for (let after: string | null = null, first = true; first || after !== null; first = false) {
        const page: LinesPage = await background.run('ledgerLines', { file, accountId: id ?? '', after }, signal);
        yield page.lines;
        after = page.next;
      }
      return;
    }
    let after: string | undefined;
    do {
      const query = { limit: 100, order: 'asc' as const, ...(after === undefined ? {} : { after }) };
      const { transactions } = await askGateway(() => client.credits(query, { signal: within() }));
      yield transactions.data.map((line) => ({
        id: line.id,
        created: line.created === null ? '' : new Date(line.created * 1000).toISOString(),
        type: line.type ?? '',
        amount_usd: line.amount,
        balance_after_usd: line.balance_after ?? '',
        description: line.description,
        request_id: line.request_id,
        provider: line.provider,
        model: line.model,
        estimated: line.estimated,
      }));
      after = transactions.has_more ? (transactions.last_id ?? undefined) : undefined;
    } while (after !== undefined);
  }

  return {
    backups: async () => backups(),

    async backUp(): Promise<LedgerBackups> {
      backups();
      const name = `ledger-${new Date(now()).toISOString().replace(/[:.]/g, '-')}.db`;
      const { sound } = await background.run('backUpLedger', { database: file, file: join(folder, name) });
      if (!sound) throw refusal('backup_failed', 'copyNotKept', { why: 'damaged' });
      return backups();
    },

    async remove({ name }: { name: string }): Promise<LedgerBackups> {
      if (!named.test(name)) throw refusal('not_found', 'backupGone');
      forgetRemoved();
      rename(name, removedName(name));
      removedAt.set(name, now());
      return backups();
    },

    async putBack({ name }: { name: string }): Promise<LedgerBackups> {
      if (!named.test(name)) throw refusal('not_found', 'backupGone');
      rename(removedName(name), name);
      return backups();
    },

    async *export({ wallet, format }: { wallet: Wallet; format: LedgerFormat }, signal?: AbortSignal) {
      yield { text: format === 'csv' ? csvHead : '[' };
      let isFirst = true;
      for await (const lines of linesOf(wallet, signal)) {
        const texts = lines.map((line) => (format === 'csv' ? csvLine(line) : `\n${JSON.stringify(line)}`));
        const before = format === 'json' && !isFirst && texts.length > 0 ? ',' : '';
        if (texts.length > 0) yield { text: before + texts.join(format === 'csv' ? '' : ',') };
        isFirst &&= texts.length === 0;
      }
      if (format === 'json') yield { text: '\n]\n' };
    },
  };
}
