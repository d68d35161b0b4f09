import { parseUsd } from '#shared/money.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import type { ReportedCost } from './chat-load.ts';
import type { Env } from './gateway-process.ts';

/** Later than any lease, so every request that is still running counts as abandoned. */
const laterMs = 30 * 60_000;

/**
 * Starts one more gateway with a later clock, which ends the requests that dead gateways left, and compares the ledger
 * with the costs that clients received. Returns the disagreements (none, if all is well) and the figures.
 */
export async function settledLedger(database: string, env: Env, reported: readonly ReportedCost[]) {
  const now = () => Date.now() + laterMs;
  const gateway = await openGateway({ database, env, now, sandbox: false });
  const report = await gateway.operator.checkLedger();
  await gateway.close();
  const gatewayDb = await openDatabase(database);
  // Only a few columns: after two hours there are millions of requests.
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
  const wrong = reported.filter(
    ({ requestId, costUsd }) =>
      status.get(requestId) !== 'succeeded' || (charged.get(requestId) ?? 0n) !== parseUsd(costUsd),
  );
  return {
    problems: report.checks.flatMap(({ name, problems }) => problems.map((problem) => ({ name, ...problem }))),
    running: report.sums.running,
    held: report.sums.held_usd,
    /** Costs that a client received but that the ledger has differently. A free request has no ledger entry. */
    wrong,
    accounts,
    requests,
    entries,
    /** The number of charges for requests whose end no client saw. */
    unreported: entries.length - reported.length,
    count: (wanted: string, code: string | null = null) =>
      requests.filter((row) => row.status === wanted && (code === null || row.error_code === code)).length,
  };
}
