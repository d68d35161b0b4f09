import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import type { LedgerBackups, LedgerComparison, LedgerFormat } from '#shared/contract/app/ledger.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import { tablePieces } from '../../runtime/streams/table-pieces.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { removedName } from '../../storage/database/dated-names.ts';
import { unwritable } from '../../storage/database/unwritable.ts';
import type { Background } from '../../worker/background.ts';
import type { ExportedLine, LinesPage } from '../../worker/ledger-lines.ts';
import { freeName, isCopy, ledgerFolder, listCopies, stagedName } from './ledger-files.ts';

/** The columns of an exported line, in order. */
const columns = [
  'id',
  'created',
  'type',
  'amount_usd',
  'balance_after_usd',
  'description',
  'request_id',
  'provider',
  'provider_name',
  'model',
  'estimated',
] as const;

type Row = Readonly<Record<(typeof columns)[number], string | boolean | null>>;

/** Lists the fields in column order, because the rows of the JSON file keep it. */
const toRow = (line: ExportedLine, providerName: Naming['providerName']): Row => ({
  id: line.id,
  created: line.created,
  type: line.type,
  amount_usd: line.amount_usd,
  balance_after_usd: line.balance_after_usd,
  description: line.description,
  request_id: line.request_id,
  provider: line.provider,
  provider_name: line.provider && providerName(line.provider),
  model: line.model,
  estimated: line.estimated,
});

/** Formats lines as the text of a file, one piece per page. JSON is an array. Amounts are decimal strings. */
export const ledgerPieces = (
  pages: AsyncIterable<readonly ExportedLine[]>,
  format: LedgerFormat,
  providerName: Naming['providerName'],
) => tablePieces(pages, { columns, toRow: (line) => toRow(line, providerName), format, around: ['[', '\n]\n'] });

export interface LedgerDeps extends CoreContext, Pick<Naming, 'providerName'> {
  readonly connections: Connections;
  /** Returns the id of a billing account in the embedded gateway, and the id of the app's key to it. */
  readonly getIds: (
    billingAccount: BillingAccount,
  ) => Promise<{ account: string | null | undefined; key: string | null | undefined }>;
  readonly background: Background;
  /** Stops the running answers and stores their costs before the ledger is replaced. */
  readonly quiet: () => Promise<void>;
  /** Runs the work while the gateway has its ledger closed. */
  readonly whileClosed: (work: () => Promise<void>) => Promise<void>;
  /** Records that requests until now may be missing from the ledger. Returns a function that withdraws this record. */
  readonly noteReplaced: () => Promise<() => Promise<void>>;
  /** Reloads the state held in memory and refreshes every window. */
  readonly restored: () => Promise<void>;
}

const billingAccounts: readonly BillingAccount[] = ['main', 'sandbox'];
const limitMs = 30_000;
/** A removed copy can be put back for this long. */
const undoMs = 3_600_000;

/**
 * Copies, restores and exports the ledger. Backups of the chats leave it out, so that restoring one can't undo
 * spending.
 */
export function ledgerFeature(deps: LedgerDeps) {
  const { dataFolder, connections, background, now } = deps;
  const folder = ledgerFolder(dataFolder);
  const file = join(dataFolder, 'gateway.db');
  /** When each copy was removed, by its name. */
  const removedAt = new Map<string, number>();
  const inTurn = takingTurns();

  function backups(): LedgerBackups {
    try {
      return { folder, backups: listCopies(folder) };
    } catch (cause) {
      throw unwritable(folder, cause);
    }
  }

  /** Returns the path of a copy, and throws if it doesn't exist. */
  function toPath(name: string): string {
    const path = join(folder, name);
    if (!isCopy(name) || !existsSync(path)) throw refusal('not_found', 'backupGone');
    return path;
  }

  /** Deletes copies that were removed by an earlier run or too long ago to be put back. */
  function forgetRemoved(): void {
    for (const name of readdirSync(folder)) {
      const copy = name.replace(/\.removed$/, '');
      const late = now() - (removedAt.get(copy) ?? 0) >= undoMs;
      if (copy !== name && isCopy(copy) && late) rmSync(join(folder, name));
    }
  }

  async function compare(name: string): Promise<LedgerComparison> {
    const copy = toPath(name);
    const why = await background.run('faultOfLedger', { copy });
    if (why) throw refusal('backup_unusable', 'backupUnusable', { why });
    const own = await Promise.all(
      billingAccounts.map(async (billingAccount) => {
        // The gateway flushes its write-ahead log into the file before it answers.
        const { client } = await connections.byId(billingAccount);
        await askGateway(() => client.account({ signal: AbortSignal.timeout(limitMs) }));
        return Object.assign({ billingAccount }, await deps.getIds(billingAccount));
      }),
    );
    const { accounts, lostKeys } = await background.run('compareLedgers', { copy, database: file, now: now() });
    return {
      accounts: accounts.map(({ id, name, copy, present }) => ({
        billingAccount: own.find(({ account }) => account === id)?.billingAccount ?? null,
        name,
        copy,
        present,
      })),
      // The app creates its own keys again, so only other programs' keys are lost.
      lostKeys: lostKeys.filter(({ id }) => own.every(({ key }) => key !== id)).map(({ label }) => label),
    };
  }

  async function restore(name: string): Promise<void> {
    const copy = toPath(name);
    const staged = join(folder, stagedName(name));
    // Removes a staged copy that was not used, so that the next start doesn't restore it. If there is no ledger, the
    // staged copy is the only one and stays.
    const unstage = () => existsSync(file) && rmSync(staged, { force: true });
    try {
      const why = await background.run('stageLedger', { copy, staged });
      if (why) throw refusal('backup_unusable', 'backupUnusable', { why });
      await deps.quiet();
      await deps.whileClosed(() => replace(staged).finally(unstage));
    } finally {
      unstage();
    }
    await deps.restored();
  }

  async function replace(staged: string): Promise<void> {
    // Closes the worker, because it holds the ledger open and caches its content.
    await background.close();
    const setAside = join(folder, freeName(folder, 'before-restore', now()));
    const takeBack = await deps.noteReplaced();
    try {
      const why = await background.run('replaceLedger', { staged, database: file, setAside });
      if (why) throw refusal('database_in_use', 'ledgerInUse');
    } catch (error) {
      if (!existsSync(file)) renameFileSync(setAside, file);
      // Withdraws the note before the staged copy is removed. If the app dies in between, the next start finishes the
      // restore and writes the note again.
      if (existsSync(staged)) await takeBack();
      throw error;
    }
  }

  /** Yields pages of an account's lines, oldest first. */
  async function* getLines(
    billingAccount: BillingAccount,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly ExportedLine[]> {
    const { client, source } = await connections.billingAccount(billingAccount);
    const within = () => AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(limitMs)]);
    if (source.startsWith('embedded/')) {
      // The gateway flushes its write-ahead log into the file before it answers.
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
      const copy = join(folder, freeName(folder, 'manual', now()));
      const { sound } = await background.run('backUpLedger', { database: file, file: copy });
      if (sound) return backups();
      rmSync(copy);
      throw refusal('backup_failed', 'copyNotKept', { why: 'damaged' });
    },

    async remove({ name }: { name: string }): Promise<LedgerBackups> {
      const path = toPath(name);
      forgetRemoved();
      renameFileSync(path, removedName(path));
      removedAt.set(name, now());
      return backups();
    },

    async putBack({ name }: { name: string }): Promise<LedgerBackups> {
      const path = join(folder, name);
      if (!isCopy(name) || !existsSync(removedName(path))) throw refusal('not_found', 'backupGone');
      renameFileSync(removedName(path), path);
      return backups();
    },

    compare: ({ name }: { name: string }) => compare(name),

    async restore({ name }: { name: string }): Promise<LedgerBackups> {
      await inTurn(() => restore(name));
      return backups();
    },

    async *export(
      { billingAccount, format }: { billingAccount: BillingAccount; format: LedgerFormat },
      signal?: AbortSignal,
    ) {
      yield* ledgerPieces(getLines(billingAccount, signal), format, deps.providerName);
    },
  };
}
