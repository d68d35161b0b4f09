import { parseUsd } from '#shared/money.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import type { ProblemText } from './chat-load.ts';
import type { Env } from './gateway-process.ts';

/** Longer than any lease, so that whatever runs now is seen as abandoned. */
const laterMs = 30 * 60_000;

/**
 * Starts one more gateway, later, which ends what dead ones left, and compares the books with what clients were told.
 * Returns what does not fit (nothing, if all is well) and the figures.
 */
export async function settledLedger(database: string, env: Env, told: readonly ProblemText[]) {
  const now = () => Date.now() + laterMs;
  const gateway = await openGateway({ database, env, now, sandbox: false });
  const report = await gateway.operator.checkLedger();
  await gateway.close();
  const gatewayDb = await openDatabase(database);
  // Of two hours there are millions of them.
  const requests = await gatewayDb.db
    .selectFrom('requests')
    .select(['id', 'status', 'error_code', 'created'])
    .execute();
  const entries = await gatewayDb.db
    .selectFrom('ledger_entries')
    .select(['account_id', 'request_id', 'amount', 'balance_after'])
    .where('type', '=', 'usage')
    .execute();
  const accounts = await gatewayDb.db.selectFrom('accounts').selectAll().execute();
  await gatewayDb.db.destroy();
  const charged = new Map(entries.map(({ request_id: id, amount }) => [id, -amount]));
  const status = new Map(requests.map((row) => [row.id, row.status]));
  const wrong = told.filter(
    ({ requestId, costUsd }) =>
      status.get(requestId) !== 'succeeded' || (charged.get(requestId) ?? 0n) !== parseUsd(costUsd),
  );
  return {
    problems: report.checks.flatMap(({ name, problems }) => problems.map((one) => ({ name, ...one }))),
    running: report.sums.running,
    held: report.sums.held_usd,
    /** Told to a client, but booked otherwise: what cost nothing has no entry. */
    wrong,
    accounts,
    requests,
    entries,
    /** Charged, though no client saw the end. */
    unheard: entries.length - told.length,
    count: (wanted: string, code: string | null = null) =>
      requests.filter((row) => row.status === wanted && (code === null || row.error_code === code)).length,
  };
}
