import type { ReportedCredits, ReportedUsage } from '#shared/client/reported.ts';
import type { Outlook } from '#shared/contract/app/funds.ts';
import { parseUsd } from '#shared/money.ts';

const dayMs = 86_400_000;
/** So many days before now are looked at. */
export const outlookDays = 30;
/** From here on the balance is low. */
const fewMessages = 20n;
const fewDays = 2n;
/** A shorter history tells what an answer costs, and nothing of a day. */
const fewestDays = 3;

export const unknownOutlook: Outlook = { messagesLeft: null, daysLeft: null, basis: null, low: false };

/**
 * How long what is available lasts, by the average of the days since the first use among the last 30. `usage` is
 * grouped by day. Amounts stay integers: what is left is rounded down.
 */
export function calculateOutlook(credits: ReportedCredits, usage: ReportedUsage | null, now: number): Outlook {
  const available = parseUsd(credits.available ?? credits.balance);
  const empty = { ...unknownOutlook, low: available <= 0n };
  const basis = usage && getBasis(usage, now);
  if (!basis) return empty;
  const cost = parseUsd(basis.costUsd);
  if (cost <= 0n) return { ...empty, basis };
  const left = available > 0n ? available : 0n;
  const messages = (left * BigInt(basis.requests)) / cost;
  const days = basis.days < fewestDays ? null : (left * BigInt(basis.days)) / cost;
  return {
    messagesLeft: toNumber(messages),
    daysLeft: days === null ? null : toNumber(days),
    basis,
    low: messages < fewMessages || (days !== null && days < fewDays),
  };
}

/** Null: nothing was asked in these days, or the gateway does not report it by day. */
function getBasis({ data, totals, grouped }: ReportedUsage, now: number): Outlook['basis'] {
  const { requests, succeeded, cost_usd: costUsd } = totals;
  const answered = succeeded ?? requests;
  const used = data.flatMap(({ day, requests: asked }) => (day !== null && asked !== 0 ? [Date.parse(day)] : []));
  if (grouped === false || costUsd === null || !answered || used.length === 0) return null;
  const days = Math.floor(now / dayMs) - Math.floor(Math.min(...used) / dayMs) + 1;
  return { days: Math.min(outlookDays, Math.max(1, days)), requests: answered, costUsd };
}

/** More than anybody counts is said as that much. */
const toNumber = (value: bigint): number => Number(value < 1_000_000_000n ? value : 1_000_000_000n);
