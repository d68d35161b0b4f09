import type { OpenKind } from '#shared/contract/app/reconciliation.ts';

/** A request as the ledger has it. Amounts are in nano-USD. */
export interface BookedRequest {
  readonly id: string;
  readonly at: number;
  readonly status: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly byok: boolean;
  readonly charge: bigint;
  readonly upstreamCost: bigint;
  readonly tokens: number;
  readonly priced: boolean;
  /** The sum of the ledger's lines for it. Null if the gateway doesn't report its ledger. */
  readonly ledger: bigint | null;
  /** This app made the request. */
  readonly own: boolean;
  /** The app made the request on another computer with the same key. */
  readonly otherComputer: boolean;
  /** The provider charges it to the user's own key. */
  readonly ownKey: boolean;
  /** The answer that made the request is still running. */
  readonly answering: boolean;
}

/** A request as the app has stored it. */
export interface StoredRequest {
  readonly id: string;
  readonly requestId: string | null;
  readonly at: number;
  /** Nano-USD. Null if unknown. */
  readonly cost: bigint | null;
  readonly conversationId: string;
  /** Its message still exists, or its chat if the request wasn't for an answer. */
  readonly there: boolean;
}

export type MatchedKind =
  | 'chats'
  | 'deleted'
  | 'otherPrograms'
  | 'otherComputers'
  | 'uncharged'
  | 'unknown'
  | 'explained';

export type Verdict =
  | { readonly is: 'running' }
  | { readonly is: 'matched'; readonly kind: MatchedKind }
  | { readonly is: 'open'; readonly kind: OpenKind; readonly chatCost: bigint | null; readonly booked: bigint | null };

const matched = (kind: MatchedKind): Verdict => ({ is: 'matched', kind });

/**
 * Returns the amount that the chat should show: what the provider charges for a request with the caller's own key,
 * otherwise what the gateway charged.
 */
export const bookedCost = ({ byok, upstreamCost, charge }: BookedRequest): bigint => (byok ? upstreamCost : charge);

/** Compares a request in the ledger with what the chats have stored. */
export function judgeBooked(request: BookedRequest, stored: StoredRequest | null, explained: boolean): Verdict {
  const { status, own, answering } = request;
  if (status === 'running' || answering) return { is: 'running' };
  const found = differenceIn(request, stored);
  if (found !== null) return explained ? matched('explained') : found;
  if (stored === null) return matched(own ? 'uncharged' : request.otherComputer ? 'otherComputers' : 'otherPrograms');
  if (stored.cost === null) return matched('unknown');
  if (stored.cost === 0n && status !== 'succeeded') return matched('uncharged');
  return matched(stored.there ? 'chats' : 'deleted');
}

function differenceIn(request: BookedRequest, stored: StoredRequest | null): Verdict | null {
  const { ledger, charge, own, status } = request;
  const booked = bookedCost(request);
  const open = (kind: OpenKind, ledgerCost: bigint | null): Verdict => ({
    is: 'open',
    kind,
    chatCost: stored?.cost ?? null,
    booked: ledgerCost,
  });
  if (ledger !== null && ledger !== charge) return open('ledger_differs', ledger);
  // A request that failed without a charge needn't be in any chat.
  if (stored === null) return own && (booked > 0n || status === 'succeeded') ? open('no_chat', booked) : null;
  if (stored.cost === null) return isUnknownTo(request) ? null : open('cost_open', booked);
  return stored.cost === booked || (status === 'failed' && stored.cost === 0n) ? null : open('cost_differs', booked);
}

/**
 * Whether the ledger doesn't know the cost either. There was no price, or the answer was interrupted and only its
 * provider knows the cost.
 */
const isUnknownTo = ({ status, ownKey, priced, tokens, charge, upstreamCost }: BookedRequest): boolean =>
  charge === 0n && ((status !== 'succeeded' && ownKey) || (!priced && tokens > 0 && upstreamCost === 0n));

/** Judges a request that the app has sent to this account but that the ledger doesn't have. */
export function judgeUnbooked({ cost }: StoredRequest, explained: boolean): Verdict {
  if (cost === 0n) return matched('uncharged');
  if (explained) return matched('explained');
  return { is: 'open', kind: cost === null ? 'cost_open' : 'no_record', chatCost: cost, booked: null };
}
